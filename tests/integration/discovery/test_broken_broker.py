"""A publisher whose surroundings are wrong says so with its own exit code, and spends nothing."""

import pytest
from kombu import Connection


def test_a_dead_database_is_exit_7(inbox):
    ran = inbox.run("receipts", "publish", DATABASE_URL="postgresql://nobody:secret@127.0.0.1:1/none")
    assert ran.code == 7
    assert "secret" not in ran.err


def test_a_missing_setting_is_exit_9_and_names_no_value(inbox):
    ran = inbox.run("receipts", "publish", LEASE_SECONDS="soon-secret")
    assert ran.code == 9
    assert "LEASE_SECONDS" in ran.err
    assert "soon-secret" not in ran.err


@pytest.mark.case("C064")
def test_an_unroutable_publication_is_exit_9_and_its_lease_is_withdrawn(inbox, monkeypatch):
    """The binding is taken away between declaration and publication: so the scan runs in this process."""
    from pathlib import Path

    from ledger_tasks.discovery import start
    from ledger_tasks.settings import PublisherSettings, load

    inbox.put("a.jpg")
    for name, value in inbox.environment.items():
        monkeypatch.setenv(name, value)
    declared = start.ready_publisher

    def unbound(settings):
        return _Unbound(declared(settings), inbox.broker_url)

    monkeypatch.setattr(start, "ready_publisher", unbound)
    result = start.run_scan(load(PublisherSettings), Path(inbox.root), patience=0, on_invalid=lambda *_: None)
    assert result.trouble.exit_code == 9
    assert result.summary.published == 0
    assert inbox.sql("SELECT state, end_reason FROM ingest.publications") == [("ended", "unconfirmed")]


class _Unbound:
    """Enter a publisher, then take the binding away again."""

    def __init__(self, made, url):
        self.made = made
        self.url = url

    def __enter__(self):
        publisher = self.made.__enter__()
        with Connection(self.url) as connection, connection.channel() as channel:
            channel.queue_unbind("receipts.v1.work", "receipts.v1.work", "receipt")
        return publisher

    def __exit__(self, *exception):
        return self.made.__exit__(*exception)
