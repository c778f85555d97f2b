"""The collector role on a real broker and a real database: nothing acknowledged before its commit, nothing lost."""

import json

from ledger_tasks.messaging.message import result_message
from ledger_tasks.messaging.topology import RESULTS
from tests.support.amqp import wait_until
from tests.support.desk import COUNT
from tests.support.events import CAFE, completed, failed, passed, receipt, sent_again


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
