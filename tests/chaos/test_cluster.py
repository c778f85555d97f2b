"""A node of three is killed during publication and during consumption, or all three restart: nothing is lost."""

import json
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import amqp
import pytest
from kombu import Connection

from contracts.receipts.work import process
from ledger_tasks.clock import new_id
from ledger_tasks.messaging.message import work_message
from ledger_tasks.messaging.publish import Publisher
from ledger_tasks.messaging.topology import RECEIPTS, RESULTS, declare, receipts_topology
from tests.chaos.slips import make_slips
from tests.support.amqp import PlainClient, wait_until
from tests.support.cluster import Cluster, cluster

pytestmark = pytest.mark.matrix
COUNT = 60


@pytest.fixture
def three() -> Iterator[Cluster]:
    with cluster(Path(tempfile.mkdtemp(prefix="ledger-cluster-")) / "nodes") as made:
        with Connection(made.url(0)) as connection:
            declare(connection, receipts_topology(1))
        yield made


@pytest.mark.timeout(400)
def test_the_leader_is_killed_while_messages_are_published(three: Cluster) -> None:
    leader = three.leader_of(RECEIPTS.work)
    other = (leader + 1) % 3
    made = [work_message(process(f"{n:064x}", f"{n}.jpg"), publication=new_id()) for n in range(20_000)]
    killer = threading.Timer(0.5, three.kill, [leader])
    with Publisher(three.url(other), confirm_seconds=60) as publisher:
        killer.start()
        fate = publisher.attempt(made)
    killer.join()
    client = PlainClient(three.url(other))
    held = set()
    while (message := client.channel.basic_get(RECEIPTS.work, no_ack=True)) is not None:
        held.add(message.properties["message_id"])
    client.close()
    lost = {made[position].message_id for position in fate.confirmed} - held
    assert fate.confirmed
    assert not lost


@pytest.mark.timeout(400)
def test_the_leader_is_killed_while_receipts_are_read(three: Cluster, volumes, run_role) -> None:
    works = make_slips(volumes.root, COUNT)
    leader = three.leader_of(RECEIPTS.work)
    other = (leader + 1) % 3
    with Publisher(three.url(other)) as publisher:
        publisher.publish([work_message(work, publication=new_id()) for work in works])
    environment = {"RABBITMQ_URL": three.url(other), "RECEIPT_RETRY_SECONDS": "1"} | volumes.environment
    run_role("ocr", environment=environment)
    wait_until(lambda: any((volumes.cache / "chaos").glob("*.json")), "the first receipt")
    three.kill(leader)
    read: set[str] = set()

    def all_read() -> bool:
        with suppress(amqp.AMQPError, OSError):  # a node that elects a leader may answer 541: look again
            read.update(told(three.url(other)))
        return len(read) == COUNT

    wait_until(all_read, "every receipt to be told", 180)
    client = PlainClient(three.url(other))
    assert client.ready(RECEIPTS.dead) == 0
    client.close()


@pytest.mark.timeout(400)
@pytest.mark.case("C074")
def test_a_worker_that_starts_while_every_node_restarts_waits_and_consumes(three: Cluster, volumes, run_role) -> None:
    works = make_slips(volumes.root, 5)
    with Publisher(three.url(0)) as publisher:
        publisher.publish([work_message(work, publication=new_id()) for work in works])
    for place in range(3):
        three.kill(place)
    environment = {"RABBITMQ_URL": three.url(1), "RECEIPT_RETRY_SECONDS": "1"} | volumes.environment
    worker = run_role("ocr", environment=environment, wait=False)
    three.boot()
    read: set[str] = set()

    def all_read() -> bool:
        with suppress(amqp.AMQPError, OSError):  # a node that boots refuses, one that elects a leader answers 541
            read.update(told(three.url(0)))
        return len(read) == len(works)

    wait_until(all_read, "every receipt to be told", 300)
    assert worker.process.poll() is None, "it waited: nobody had to start it again"


def told(url: str) -> set[str]:
    """Take what lies in the results queue now; acknowledged only once it is counted."""
    client = PlainClient(url)
    found = set()
    while (message := client.channel.basic_get(RESULTS.work)) is not None:
        event = json.loads(message.body)
        if event["event_type"] == "ocr.run-completed.v1":
            found.add(event["source_sha256"])
    if found:
        client.channel.basic_ack(0, multiple=True)
    client.close()
    return found
