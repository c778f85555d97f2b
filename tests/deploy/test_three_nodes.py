"""The three-node variant on real nodes: one cluster by its file, three replicas of every queue, one node may die."""

import json
import os
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.credentials import Addresses, make_secrets
from ledger_tasks.messaging.flight import Fate
from ledger_tasks.messaging.message import Message
from ledger_tasks.messaging.publish import BrokerAwayError, Publisher
from ledger_tasks.messaging.topology import topology
from tests.deploy.conftest import PASSWORDS
from tests.deploy.rendered import DEPLOY
from tests.support.node import Node, free_port
from tests.support.servers import fresh

pytestmark = [pytest.mark.matrix, pytest.mark.timeout(600)]

HOST = "rabbitmq-{}.rabbitmq-nodes.ledger.svc.cluster.local"


@pytest.fixture(scope="module")
def cluster() -> Iterator[list[Node]]:
    """Three nodes on one machine. They differ before the @, since one port mapper serves them all here."""
    if os.geteuid() != 0:
        pytest.skip("needs root: names of a cluster come from an /etc/hosts of its own")
    base = Path("/tmp") / fresh("ledger-cluster")
    base.mkdir()
    (base / "hosts").write_text(f"127.0.0.1 localhost {' '.join(HOST.format(number) for number in range(3))}\n")
    (base / ".erlang.cookie").write_text("the-cookie-of-a-test")
    (base / ".erlang.cookie").chmod(0o400)
    shipped = (DEPLOY / "three-nodes" / "20-cluster.conf").read_text()
    for number in range(3):
        assert f"rabbit@{HOST.format(number)}" in shipped
        shipped = shipped.replace(f"rabbit@rabbitmq-{number}.", f"rabbit{number}@rabbitmq-{number}.")
    epmd = free_port()
    nodes = [
        Node(
            base / str(number), name=f"rabbit{number}@{HOST.format(number)}", hosts=base / "hosts", ports={"epmd": epmd}
        )
        for number in range(3)
    ]
    try:
        for node in nodes:
            node.launch(make_secrets(PASSWORDS, Addresses())["rabbitmq"]["definitions.json"], more=shipped)
        for node in nodes:
            node.wait()
        yield nodes
    finally:
        for node in nodes:
            node.stop()
        shutil.rmtree(base)


def test_every_queue_has_three_replicas(cluster: list[Node]) -> None:
    listed = json.loads(cluster[0].ctl("list_queues", "-p", "ledger", "name", "members", "--formatter", "json"))
    assert {queue["name"]: len(queue["members"]) for queue in listed} == {spec.name: 3 for spec in topology()}


def test_a_node_that_dies_costs_no_confirmed_message_and_no_more_than_a_pause(cluster: list[Node]) -> None:
    listed = json.loads(cluster[0].ctl("list_queues", "-p", "ledger", "name", "leader", "--formatter", "json"))
    (leader,) = (queue["leader"] for queue in listed if queue["name"] == "receipts.v1.work")
    (dying,) = (node for node in cluster if node.name == leader)
    alive = [node for node in cluster if node is not dying]
    confirmed = publish(alive[0], 100)
    os.killpg(dying.processes[-1].pid, signal.SIGKILL)
    began = time.monotonic()
    while not publish(alive[0], 100).complete:
        assert time.monotonic() - began < 90, alive[0].log()[-3000:]
    assert len(confirmed.confirmed) == 100
    connection = alive[1].connect("scaler", PASSWORDS["scaler"])
    assert connection.channel().queue_declare("receipts.v1.work", passive=True).message_count >= 200
    connection.close()


def publish(node: Node, count: int) -> Fate:
    url = make_secrets(PASSWORDS, Addresses(broker=node.address))["publisher-broker"]["RABBITMQ_URL"]
    messages = [
        Message("receipts.v1.work", "receipt", b"{}", str(number), "receipt.process.v1") for number in range(count)
    ]
    with Publisher(url) as publisher:
        try:
            return publisher.attempt(messages)
        except BrokerAwayError:
            return Fate(unsent=set(range(count)))
