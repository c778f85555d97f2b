"""The collector role on a real broker and a real database: nothing acknowledged before its commit, nothing lost."""

import json
import threading

import psycopg
import pytest
from kombu import Connection

from ledger_tasks.messaging.message import result_message
from ledger_tasks.messaging.publish import Publisher
from ledger_tasks.messaging.topology import RESULTS, declare, receipts_topology
from tests.support.amqp import PlainClient, wait_until
from tests.support.events import CAFE, completed, failed, passed, receipt, sent_again
from tests.support.faults import kill
from tests.support.servers import Database, fresh

COUNT = "SELECT count(*) FROM budget.ocr_result_events"


def counted(url):
    try:
        with psycopg.connect(url, connect_timeout=2) as connection:
            return connection.execute(COUNT).fetchone()[0]
    except psycopg.OperationalError:
        return -1


@pytest.fixture
def results(broker):
    """The results queue, and `send` to fill it."""
    with Connection(broker.url) as connection:
        declare(connection, receipts_topology(1))
    client = PlainClient(broker.url)

    def send(*events):
        with Publisher(broker.url) as publisher:
            publisher.publish([result_message(event) for event in events])

    client.send = send
    yield client
    client.close()


def environment(broker, database):
    return broker.environment | database.environment_of("ledger_collector")


def test_waiting_events_are_applied_and_bad_ones_lie_in_dead_byte_identical(desk, broker, database, results, run_role):
    bad = [b"not JSON", b"", json.dumps({"schema_version": 2, "event_type": "x"}).encode()]
    for body in bad:
        results.publish(RESULTS.work, RESULTS.routing_key, body)
    unreal = completed("b", "r2", generation=1, said=receipt(**CAFE | {"transaction_date": "2026-02-31"}))
    good = [completed("a", "r1", generation=1), passed("a", "r1"), passed("a", "r1", 2), failed("c", "r3")]
    results.send(*good, unreal, *map(sent_again, good))
    run_role("collector", environment=environment(broker, database))
    dead = results.take(RESULTS.dead, 4)
    found = [message.body.encode() if isinstance(message.body, str) else bytes(message.body) for message in dead]
    assert sorted(found) == sorted([*bad, result_message(unreal).body])
    codes = {message.headers["error_code"] for message in dead}
    assert codes == {"CONTRACT_INVALID", "VERSION_UNKNOWN"}
    wait_until(lambda: desk.rows(COUNT) == [(4,)], "all good events")
    assert desk.status("a") == ("succeeded", None, [])
    assert desk.status("c") == ("failed", "PDF_CORRUPT", [])


@pytest.mark.case("C039")
def test_a_database_that_is_killed_while_events_wait_costs_nothing(own_stack, broker, results, run_role):
    own_stack.start("postgresql")
    database = Database(own_stack.postgresql, fresh("killed"))
    database.create()
    run_role("collector", environment=environment(broker, database) | {"HOLD_SECONDS": "3"})
    kill(own_stack, "postgresql")
    results.send(*(passed(f"f{number}", f"r{number}") for number in range(100)))
    wait_until(lambda: results.ready(RESULTS.retry) > 0, "events handed back while the database is away")
    own_stack.start("postgresql")
    wait_until(lambda: counted(database.url) == 100, "all events after the return of the database")
    assert results.ready(RESULTS.dead) == 0


def test_a_collector_that_dies_after_its_commit_and_before_its_acknowledgement_repeats_nothing(
    desk, broker, database, results, run_role
):
    role = run_role("collector", environment=environment(broker, database))
    stop = threading.Event()

    def kill_at_the_first_commit():
        while desk.rows(COUNT) == [(0,)] and not stop.is_set():
            pass
        role.kill()

    watcher = threading.Thread(target=kill_at_the_first_commit)
    watcher.start()
    events = [completed(f"f{n}", f"r{n}", generation=1, said=receipt(**CAFE | {"total": f"{n}.00"})) for n in range(60)]
    results.send(*events)
    watcher.join(30)
    stop.set()
    before = desk.rows("SELECT run_uuid, collected_at FROM budget.receipt_ocr_runs ORDER BY 1")
    assert before, "it had committed"
    run_role("collector", environment=environment(broker, database))
    wait_until(lambda: desk.rows(COUNT) == [(60,)] and results.ready(RESULTS.work) == 0, "the rest")
    after = desk.rows("SELECT run_uuid, collected_at FROM budget.receipt_ocr_runs ORDER BY 1")
    assert set(before) <= set(after)
    assert desk.rows("SELECT count(*) FROM budget.expenses") == [(60,)]
