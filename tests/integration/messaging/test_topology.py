"""The broker's own list of exchanges and queues against the public table."""

import os

import httpx
import pytest
from kombu import Connection

from ledger_tasks.errors import ConfigurationError
from ledger_tasks.messaging.topology import QueueSpec, declare, receipts_topology, topology
from tests.support.amqp import PlainClient, wait_until
from tests.support.rabbitmq_of_tree import VARIABLE
from tests.support.servers import Broker

FAMILY = {"x-queue-type": "quorum", "x-overflow": "reject-publish", "x-max-length": 100_000}


def work(family: str, key: str) -> dict[str, object]:
    return FAMILY | {
        "x-dead-letter-exchange": f"{family}.dead",
        "x-dead-letter-routing-key": key,
        "x-dead-letter-strategy": "at-least-once",
        "x-delivery-limit": 20,
    }


def retry(family: str, key: str) -> dict[str, object]:
    return FAMILY | {
        "x-dead-letter-exchange": f"{family}.work",
        "x-dead-letter-routing-key": key,
        "x-dead-letter-strategy": "at-least-once",
        "x-message-ttl": 60_000,
    }


DEAD = FAMILY | {"x-delivery-limit": 2_147_483_647}


def tick(seconds: int) -> dict[str, object]:
    return {
        "x-queue-type": "quorum",
        "x-max-length": 1,
        "x-overflow": "drop-head",
        "x-message-ttl": seconds * 1000,
    }


TABLE = {
    "receipts.v1.work": work("receipts.v1", "receipt"),
    "receipts.v1.retry": retry("receipts.v1", "receipt"),
    "receipts.v1.dead": DEAD,
    "ocr.results.v1.work": work("ocr.results.v1", "ocr-result"),
    "ocr.results.v1.retry": retry("ocr.results.v1", "ocr-result"),
    "ocr.results.v1.dead": DEAD,
    "ledger.v1.discovery": tick(900),
    "ledger.v1.housekeeping": tick(60),
    "recognition.v1.ticks.publish": tick(5),
    "recognition.v1.ticks.watch": tick(30),
    "recognition.v1.ticks.map": tick(5),
    "ledger.v1.epoch": {"x-queue-type": "quorum"},
}


def test_the_broker_has_the_version_that_the_tests_are_to_run_on(broker: Broker) -> None:
    found = httpx.get(f"{broker.server.management_url}/api/overview", timeout=20).json()["rabbitmq_version"]
    assert found.startswith(os.environ.get(VARIABLE, "3."))


@pytest.mark.case("C055")
def test_the_broker_holds_exactly_the_table(broker: Broker) -> None:
    with Connection(broker.url) as connection:
        declare(connection, topology())
    assert {queue["name"]: queue["arguments"] for queue in broker.api("queues")} == TABLE
    exchanges = {each["name"]: each for each in broker.api("exchanges") if each["name"] and each["name"][:4] != "amq."}
    assert set(exchanges) == set(TABLE)
    assert all(each["type"] == "direct" and each["durable"] for each in exchanges.values())
    bound = {(each["source"], each["destination"]) for each in broker.api("bindings") if each["source"]}
    assert bound == {(name, name) for name in TABLE}


@pytest.mark.case("C072")
def test_other_arguments_are_named_with_both_values(broker: Broker) -> None:
    with Connection(broker.url) as connection:
        declare(connection, [QueueSpec("receipts.v1.retry", "receipt", {"x-message-ttl": 1000})])
        with pytest.raises(ConfigurationError, match=r"receipts\.v1\.retry.*60000.*1000"):
            declare(connection, [QueueSpec("receipts.v1.retry", "receipt", {"x-message-ttl": 60_000})])


@pytest.mark.trap(11)
def test_a_running_worker_adds_nothing_but_its_own_control_and_event_queues(broker, volumes, run_role) -> None:
    run_role("ocr", environment=broker.environment | volumes.environment)
    names = {queue["name"] for queue in broker.api("queues")}
    foreign = {name for name in names - set(TABLE) if not name.startswith(("celeryev.", "amq."))}
    assert all(name.endswith(".celery.pidbox") for name in foreign), foreign


def test_without_events_a_worker_adds_nothing_at_all(broker, volumes, run_role) -> None:
    run_role("ocr", environment=broker.environment | volumes.environment | {"LEDGER_CELERY_EVENTS": "false"})
    assert {queue["name"] for queue in broker.api("queues")} <= set(TABLE)


@pytest.mark.case("C059")
@pytest.mark.timeout(300)
def test_a_retry_that_cannot_return_stays_where_it_is_and_returns_when_it_can(broker: Broker) -> None:
    with Connection(broker.url) as connection:
        declare(connection, receipts_topology(1))
    client = PlainClient(broker.url)
    client.channel.queue_unbind("receipts.v1.work", "receipts.v1.work", "receipt")
    client.publish("receipts.v1.retry", "receipt", b"waits")
    client.publish("receipts.v1.retry", "receipt", b"waits too")
    wait_until(lambda: client.ready("receipts.v1.retry") == 0, "the delay to end")
    assert client.ready("receipts.v1.work") == 0
    client.channel.queue_bind("receipts.v1.work", "receipts.v1.work", "receipt")
    # The broker tries again within 3 minutes (dead_letter_worker_publisher_confirm_timeout), mostly at once.
    wait_until(lambda: client.ready("receipts.v1.work") == 2, "both to return", 200)
    client.close()
