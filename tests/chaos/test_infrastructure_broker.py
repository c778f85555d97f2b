"""Who decides what: Infrastructure: the broker.

It refuses, cannot confirm, or is away: held, then handed back; spends no attempt, dead-letters nothing.
"""

import pytest

from ledger_tasks.messaging.topology import declare, receipts_topology
from tests.support import faults
from tests.support.amqp import PlainClient, wait_until
from tests.support.deliveries import different_events, put, starts, submit
from tests.support.faults import frozen, full

AWAY = "BROKER_UNAVAILABLE"
TOLD = {"ocr.run-completed.v1", "ocr.pass-completed.v1"}


@pytest.mark.case("C062")
def test_a_full_broker_holds_what_was_read_and_tells_it_when_there_is_room(
    own_stack, own_broker, volumes, run_role
) -> None:
    client = PlainClient(own_broker.url)
    declare(client.connection, receipts_topology(1))
    for alarm, sample in (("disk", "cafe-english.jpg"), ("memory", "diner-us.jpg")):
        submit(client, put(volumes, sample))
        with full(own_stack, alarm):
            worker = run_role("ocr", environment=own_broker.environment | volumes.environment)
            wait_until(lambda worker=worker: worker.holding() == AWAY, "health to say what is waited for")
            assert client.ready("ocr.results.v1.work") == client.ready("receipts.v1.dead") == 0
        assert {event["event_type"] for event in different_events(client, 2)} == TOLD
        wait_until(lambda worker=worker: worker.holding() == "", "health to say that it is over")
        assert worker.stop() == 0
    assert [start["end"] for start in starts(volumes)] == ["ok", "ok"], "no attempt was used, OCR ran once for each"
    assert client.ready("receipts.v1.dead") == client.ready("receipts.v1.work") == 0
    client.close()


def test_a_frozen_broker_holds_what_was_read_and_work_resumes_by_itself(
    own_stack, own_broker, volumes, run_role
) -> None:
    worker = run_role("ocr", environment=own_broker.environment | volumes.environment)
    client = PlainClient(own_broker.url)
    submit(client, put(volumes, "baumarkt-scan.pdf"))
    wait_until(lambda: bool(starts(volumes)), "the start of OCR")
    with frozen(own_stack, "rabbitmq"):
        wait_until(lambda: worker.health() != "ok" or worker.holding() == AWAY, "health to say so")
    wait_until(lambda: worker.health() == "ok", "a worker that consumes again")
    client = PlainClient(own_broker.url)
    assert {event["event_type"] for event in different_events(client, 2)} == TOLD
    submit(client, put(volumes, "cafe-english.jpg"))
    assert {event["event_type"] for event in different_events(client, 2)} == TOLD
    assert [start["end"] for start in starts(volumes)] == ["ok", "ok"], "no attempt was used"
    assert client.ready("receipts.v1.dead") == 0
    assert worker.process.poll() is None
    client.close()


@pytest.mark.case("C066")
@pytest.mark.case("C068")
@pytest.mark.trap(16)
def test_a_broker_that_restarts_under_a_worker_costs_no_receipt(own_stack, own_broker, volumes, run_role) -> None:
    worker = run_role("ocr", environment=own_broker.environment | volumes.environment)
    client = PlainClient(own_broker.url)
    submit(client, put(volumes, "baumarkt-scan.pdf"))
    wait_until(lambda: bool(starts(volumes)), "the start of OCR")
    for _ in range(2):
        faults.kill(own_stack, "rabbitmq")
        own_stack.start("rabbitmq")
    client = PlainClient(own_broker.url)
    assert {event["event_type"] for event in different_events(client, 2)} == TOLD
    submit(client, put(volumes, "cafe-english.jpg"))
    assert {event["event_type"] for event in different_events(client, 2)} == TOLD
    assert client.ready("receipts.v1.dead") == 0
    assert worker.process.poll() is None
    client.close()
