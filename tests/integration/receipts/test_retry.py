"""`ledger receipts retry`: a failed receipt goes back to work once, with a new budget; every other one is refused."""

import json
import subprocess
import sysconfig
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from kombu import Connection
from pydantic import SecretStr

from contracts.receipts.work import decode_work, encode_work, process
from ledger_tasks.collector.apply import collect
from ledger_tasks.messaging.message import BUDGET, PUBLICATION, work_message
from ledger_tasks.messaging.publish import Publisher
from ledger_tasks.messaging.topology import RECEIPTS, declare, receipts_topology
from ledger_tasks.storage.database import connect
from tests.support.amqp import PlainClient
from tests.support.events import completed, failed, passed, source, uuid

NOW = datetime(2026, 8, 15, tzinfo=UTC)
LEDGER = Path(sysconfig.get_path("scripts")) / "ledger"


class Shop:
    """One broker and one database, and the command as a person runs it."""

    def __init__(self, broker, database):
        self.environment = broker.environment | database.environment_of("ledger_publisher") | {"PATH": "/usr/bin:/bin"}
        self.url, self.engine = database.url, connect(SecretStr(database.url))
        with Connection(broker.url) as connection:
            declare(connection, receipts_topology(1))
        self.client = PlainClient(broker.url)
        self.broker = broker

    def run(self, *words, **environment):
        return subprocess.run(
            [LEDGER, "receipts", *words],
            check=False,
            env=self.environment | environment,
            capture_output=True,
            text=True,
        )

    def collect(self, *events):
        collect(events, self.engine, NOW)

    def bury(self, name, budget="first"):
        """Put the dead copy of a receipt's v1 into the dead queue, as the worker does."""
        sent = work_message(process(source(name), f"2026-08-14/{name}.pdf"), publication=uuid(budget))
        self.client.publish(
            RECEIPTS.dead,
            RECEIPTS.routing_key,
            sent.body,
            message_id=sent.message_id,
            type=sent.type,
            content_type="application/json",
            application_headers={
                PUBLICATION: uuid(budget),
                "error_code": "PDF_CORRUPT",
                "error_type": "Terminal",
                "error_message": "no page can be read",
            },
        )

    def rows(self, query):
        with psycopg.connect(self.url) as connection:
            return connection.execute(query).fetchall()


@pytest.fixture
def shop(broker, database):
    made = Shop(broker, database)
    yield made
    made.client.close()
    made.engine.dispose()


def test_a_failed_receipt_is_queued_with_a_new_budget_and_its_letters_go_away(shop):
    shop.bury("a")
    shop.bury("other")
    shop.collect(failed("a", "unseen letter"), failed("other", "r2"))
    done = shop.run("retry", "2026-08-14/a.pdf", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "dead_letters": 2,
        "queue": "receipts.v1.work",
        "source_reference": "2026-08-14/a.pdf",
        "source_sha256": source("a"),
        "status": "queued",
    }
    (sent,) = shop.client.take(RECEIPTS.work)
    assert sent.body.encode() == encode_work(process(source("a"), "2026-08-14/a.pdf"))
    assert {BUDGET, PUBLICATION} <= sent.headers.keys()
    (left,) = shop.client.take(RECEIPTS.dead)
    assert decode_work(bytes(left.body)).source_sha256 == source("other")
    status = "SELECT status, attempts, last_error_code FROM ingest.receipt_processing_status ORDER BY 1"
    assert shop.rows(status) == [("failed", 1, "PDF_CORRUPT"), ("processing", 0, None)]
    assert shop.rows("SELECT state FROM ingest.publications") == [("confirmed",)]
    again = shop.run("retry", "2026-08-14/a.pdf")
    assert again.returncode == 10
    assert "being worked on" in again.stderr
    assert shop.client.ready(RECEIPTS.work) == 0


def test_the_outcome_of_a_retry_ends_its_lease_and_success_needs_no_more(shop):
    shop.collect(failed("a", "r1"))
    assert shop.run("retry", source("a")[:8]).returncode == 0
    shop.collect(completed("a", "r2", generation=1))
    assert shop.rows("SELECT state, end_reason FROM ingest.publications") == [("ended", "completed")]
    done = shop.run("retry", source("a"))
    assert done.returncode == 10
    assert "ledger receipts reprocess 2026-08-14/a.pdf" in done.stderr


@pytest.mark.parametrize(
    ("words", "code"),
    [(("2026-08-14/never-failed.pdf",), 10), (("2026-08-14/unknown.pdf",), 3), (("../up.pdf",), 2), (("abc",), 3)],
)
def test_what_has_not_failed_or_is_not_known_is_refused(shop, words, code):
    shop.collect(passed("never-failed", "r1"))
    assert shop.run("retry", *words).returncode == code
    assert shop.client.ready(RECEIPTS.work) == 0


def test_without_a_broker_nothing_changes(shop):
    shop.collect(failed("a", "r1"))
    assert shop.run("retry", "2026-08-14/a.pdf", RABBITMQ_URL="amqp://127.0.0.1:1").returncode == 7
    assert shop.rows("SELECT status FROM ingest.receipt_processing_status") == [("failed",)]
    assert shop.rows("SELECT count(*) FROM ingest.publications") == [(0,)]


def test_a_retry_that_was_killed_after_publishing_is_finished_by_the_next_one(shop):
    shop.bury("a")
    shop.collect(failed("a", "r1"))
    with Publisher(shop.broker.url) as publisher:
        publisher.publish([work_message(process(source("a"), "2026-08-14/a.pdf"), publication=uuid("killed"))])
    assert shop.run("retry", "2026-08-14/a.pdf").returncode == 0
    assert shop.client.ready(RECEIPTS.dead) == 0
    assert shop.client.ready(RECEIPTS.work) == 2, "a duplicate is harmless, a lost receipt is not"
