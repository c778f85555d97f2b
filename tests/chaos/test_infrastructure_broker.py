"""Who decides what: Infrastructure: the broker.

It refuses, cannot confirm, or is away: held, then handed back; spends no attempt, dead-letters nothing.
"""

import pytest

from ledger_tasks.messaging.topology import RESULTS, declare, receipts_topology
from ledger_tasks.settings import CollectorSettings
from tests.support import faults
from tests.support.amqp import PlainClient, wait_until
from tests.support.deliveries import body_of, different_events, put, starts, submit
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


@pytest.mark.matrix
def test_what_a_dead_collector_gave_back_at_once_is_still_there_when_the_broker_crashed_too(
    own_stack, own_broker
) -> None:
    size, count = CollectorSettings.model_fields["collector_prefetch"].default, 300
    client = PlainClient(own_broker.url)
    declare(client.connection, receipts_topology(1))
    for number in range(count):
        client.publish(RESULTS.work, RESULTS.routing_key, b"%d" % number, delivery_mode=2)
    wait_until(lambda: client.ready(RESULTS.work) == count, "all to arrive")
    for _ in range(count // size):
        dying = PlainClient(own_broker.url)
        assert all(dying.channel.basic_get(RESULTS.work) for _ in range(size))
        dying.close()
        wait_until(lambda: client.ready(RESULTS.work) == count, "all to come back")
    handled: set[bytes] = set()
    for _ in range(3):
        client = PlainClient(own_broker.url)
        for _ in range(40):
            message = client.channel.basic_get(RESULTS.work)
            handled.add(body_of(message))
            client.channel.basic_ack(message.delivery_tag)
        wait_until(lambda client=client: client.ready(RESULTS.work) == count - len(handled), "the handled to be gone")
        faults.kill(own_stack, "rabbitmq")
        own_stack.start("rabbitmq")
    client = PlainClient(own_broker.url)
    wait_until(lambda: client.ready(RESULTS.work) == count - len(handled), "the same to be gone after the crash")
    handled |= {body_of(message) for message in client.take(RESULTS.work, count - len(handled))}
    assert len(handled) == count, "nothing vanished"
    client.close()
