import hashlib
import json
import subprocess

import pytest
from kombu import Connection

from ledger_tasks.devstack import binaries
from tests.support.faults import frozen

FILES = 3000
LATE = hashlib.sha256(b"late.jpg").hexdigest()


def test_a_dead_broker_is_exit_7_and_nothing_is_leased(inbox):
    inbox.put("a.jpg")
    ran = inbox.run("receipts", "publish", RABBITMQ_URL="amqp://guest:guest@127.0.0.1:1/")
    assert ran.code == 7
    assert ran.out == ""
    assert "remedy:" in ran.err
    assert inbox.sql("SELECT 1 FROM ingest.publications") == []
    assert inbox.publish()["published"] == 1


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


@pytest.mark.case("C062")
@pytest.mark.case("C065")
@pytest.mark.trap(2)
def test_a_frozen_broker_ends_the_command_in_time_with_its_own_code(own_stack, inbox):
    own_stack.start("rabbitmq")
    inbox.put("a.jpg")
    url = own_stack.rabbitmq.url
    assert inbox.run("receipts", "publish", RABBITMQ_URL=url).code == 0
    with frozen(own_stack, "rabbitmq"):
        ran = inbox.run("receipts", "publish", RABBITMQ_URL=url)
    assert ran.code == 7, ran.err
    _freeze_in_the_middle(own_stack, inbox, url)
    _raise_the_disk_alarm(own_stack, inbox, url)


def _freeze_in_the_middle(stack, inbox, url):
    """Some are confirmed, some may have arrived: exit 8, and the rerun leaves nothing out."""
    for number in range(FILES):
        inbox.put(f"many/{number}.jpg")
    process = inbox.start("receipts", "publish", RABBITMQ_URL=url)
    with Connection(url) as connection, connection.channel() as channel:
        while channel.queue_declare("receipts.v1.work", passive=True).message_count < 100:
            assert process.poll() is None
    with frozen(stack, "rabbitmq"):
        out, err = process.communicate(timeout=60)
    assert process.returncode == 8, err
    assert json.loads(out)["published"] < FILES
    assert inbox.sql("SELECT 1 FROM ingest.publications WHERE state = 'planned'")
    inbox.sql("UPDATE ingest.publications SET planned_at = now() - interval '1 hour' WHERE state = 'planned'")
    assert inbox.run("receipts", "publish", RABBITMQ_URL=url).code == 0
    with Connection(url) as connection, connection.channel() as channel:
        taken = iter(lambda: channel.basic_get("receipts.v1.work", no_ack=True), None)
        references = {json.loads(message.body)["source_reference"] for message in taken}
    assert len(references) == FILES + 1


def _raise_the_disk_alarm(stack, inbox, url):
    """C062: a broker that takes no publication confirms none, and none is counted as published."""
    inbox.put("late.jpg")
    command = [binaries.rabbitmq_scripts() / "rabbitmqctl", "set_disk_free_limit"]
    subprocess.run([*command, "100000GB"], env=stack.rabbitmq.environment(), check=True, capture_output=True)
    ran = inbox.run("receipts", "publish", RABBITMQ_URL=url)
    assert ran.code in {7, 8}, ran.err
    assert inbox.sql("SELECT 1 FROM ingest.publications WHERE state = 'confirmed' AND source_sha256 = %s", LATE) == []
    subprocess.run([*command, "50MB"], env=stack.rabbitmq.environment(), check=True, capture_output=True)
