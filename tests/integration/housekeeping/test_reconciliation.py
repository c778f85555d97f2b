"""Dead letters that the broker made by itself get their row and their code from the tick of the clock."""

import psycopg
import pytest

from beat_schedule import RECONCILIATION
from contracts.receipts.work import encode_work, process
from ledger_tasks.messaging.topology import RECEIPTS, RESULTS, TICK, declare, receipts_topology
from tests.support.amqp import wait_until
from tests.support.deliveries import body_of

WORK = process("a" * 64, "2026-08-14/lost.jpg")
ROWS = "SELECT family, code, source_sha256, source_reference, state, body FROM budget.dead_letters ORDER BY family"


def rows(database):
    with psycopg.connect(database.url) as connection:
        return [(*row[:5], bytes(row[5])) for row in connection.execute(ROWS)]


@pytest.fixture
def letters(client):
    """One letter of each family that no process of ours made, as the broker leaves them after a rejection."""
    declare(client.connection, receipts_topology(1))
    for queue, body in ((RECEIPTS.work, encode_work(WORK)), (RESULTS.work, b"nobody's event")):
        client.publish("", queue, body, delivery_mode=2)
        wait_until(lambda queue=queue: client.ready(queue) == 1, "the message")
        client.channel.basic_reject(client.channel.basic_get(queue).delivery_tag, requeue=False)
    wait_until(lambda: client.ready(RECEIPTS.dead) == client.ready(RESULTS.dead) == 1, "the broker's dead letters")
    return [
        ("ocr.results.v1", "INTERNAL_ERROR", None, None, "open", b"nobody's event"),
        ("receipts.v1", "INTERNAL_ERROR", WORK.source_sha256, WORK.source_reference, "open", encode_work(WORK)),
    ]


def test_a_tick_gives_each_its_row_and_code_and_leaves_it_where_it_is(
    broker, database, volumes, run_role, client, letters
) -> None:
    environment = broker.environment | volumes.environment | database.environment_of("ledger_publisher")
    run_role("publisher", environment=environment)
    for _ in range(2):
        headers = {"task": RECONCILIATION.task, "id": "1", "lang": "py", "root_id": "1", "retries": 0}
        client.publish(
            RECONCILIATION.queue,
            TICK,
            b"[[], {}, {}]",
            content_type="application/json",
            content_encoding="utf-8",
            correlation_id="1",
            application_headers=headers,
        )
        wait_until(lambda: rows(database) == letters, "a row for each")
    assert body_of(client.take(RECEIPTS.dead)[0]) == encode_work(WORK)
    wait_until(lambda: client.ready(RESULTS.dead) == 1, "the other letter to be given back")


@pytest.mark.matrix
def test_the_clock_sees_to_it_within_a_minute(broker, database, volumes, run_role, letters) -> None:
    environment = broker.environment | volumes.environment | database.environment_of("ledger_publisher")
    run_role("publisher", environment=environment)
    run_role("beat", environment=broker.environment | {"NATS_ENABLED": "false", "DISCOVERY_BY_BEAT": "false"})
    wait_until(lambda: rows(database) == letters, "a row for each", RECONCILIATION.seconds + 5)
