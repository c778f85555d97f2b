"""Failure recovery: After publish confirmation.

RabbitMQ retains the persistent message; a duplicate publication is safe.
"""

import pytest
from kombu import Connection

from contracts.receipts.work import process
from ledger_tasks.clock import new_id
from ledger_tasks.messaging.message import work_message
from ledger_tasks.messaging.publish import Publisher
from ledger_tasks.messaging.topology import RECEIPTS, RESULTS, declare, receipts_topology
from tests.chaos.slips import make_slips
from tests.support import faults
from tests.support.amqp import PlainClient, wait_until
from tests.support.deliveries import put, starts, submit

MANY = 500
FINISHED, DUPLICATES = 10, 1000


def test_a_broker_that_is_killed_after_it_confirmed_still_has_every_message(own_stack, own_broker) -> None:
    with Connection(own_broker.url) as connection:
        declare(connection, receipts_topology(1))
    with Publisher(own_broker.url) as publisher:
        publisher.publish([work_message(process(f"{n:064x}", f"{n}.jpg"), publication=new_id()) for n in range(MANY)])
    faults.kill(own_stack, "rabbitmq")
    own_stack.start("rabbitmq")
    client = PlainClient(own_broker.url)
    found = {message.properties["message_id"] for message in client.take(RECEIPTS.work, MANY)}
    assert found == {f"receipt.v1:{n:064x}" for n in range(MANY)}
    client.close()


@pytest.mark.case("C003")
@pytest.mark.case("C017")
def test_three_copies_on_two_workers_are_one_ocr_run_and_three_acknowledgements(
    broker, volumes, run_role, client
) -> None:
    declare(client.connection, receipts_topology(1))
    work = put(volumes, "cafe-english.jpg")
    for _ in range(3):
        submit(client, work)
    for _ in range(2):
        run_role("ocr", environment=broker.environment | volumes.environment)
    events = [message.properties["message_id"] for message in client.take(RESULTS.work, 6)]
    assert len(set(events)) == 2, "the run and its pass, told three times"
    wait_until(lambda: client.ready(RECEIPTS.work) == 0, "all three to be acknowledged")
    assert len(starts(volumes)) == 1


def test_a_thousand_duplicates_of_finished_receipts_cause_no_ocr_and_end_acknowledged(
    broker, volumes, desk, database, run_role, client
) -> None:
    worker = run_role("ocr", environment=broker.environment | volumes.environment)
    run_role("collector", environment=broker.environment | database.environment_of("ledger_collector"))
    works = make_slips(volumes.root, FINISHED)
    publish(broker, works)
    wait_until(lambda: finished(desk) == FINISHED, "all receipts to be done")
    wait_until(lambda: is_idle(broker), "their deliveries to be acknowledged")
    before = desk.content()
    publish(broker, works * (DUPLICATES // FINISHED))
    wait_until(lambda: worker.text().count('"settled"') >= FINISHED + DUPLICATES, "every duplicate to be settled", 120)
    wait_until(lambda: is_idle(broker), "every duplicate to be acknowledged")
    assert len(starts(volumes)) == FINISHED, "0 OCR runs"
    assert desk.content() == before
    assert client.ready(RECEIPTS.dead) == client.ready(RESULTS.dead) == client.ready(RECEIPTS.retry) == 0


def publish(broker, works) -> None:
    with Publisher(broker.url) as publisher:
        publisher.publish([work_message(work, publication=new_id()) for work in works])


def finished(desk) -> int:
    return desk.rows("SELECT count(*) FROM ingest.receipt_processing_status WHERE completed_at IS NOT NULL")[0][0]


def is_idle(broker) -> bool:
    """Nothing waits and nothing is in a worker's hands, as far as the broker's lagging counters know."""
    counts = {queue["name"]: queue.get("messages", -1) for queue in broker.api("queues")}
    return counts[RECEIPTS.work] == counts[RESULTS.work] == 0
