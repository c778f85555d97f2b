"""The fate of every published message is known, whatever the broker does."""

import socket
import time

import pytest
from kombu import Connection

from ledger_tasks.devstack.stack import Stack
from ledger_tasks.messaging.message import Message
from ledger_tasks.messaging.publish import BrokerAwayError, NotConfirmedError, Publisher
from ledger_tasks.messaging.topology import QueueSpec, declare
from tests.support.amqp import PlainClient
from tests.support.faults import frozen
from tests.support.servers import Broker, start


def messages(count: int, exchange: str = "receipts.v1.dead") -> list[Message]:
    return [Message(exchange, "receipt", b'{"n":%d}' % number, f"n:{number}") for number in range(count)]


@pytest.fixture
def queue(broker: Broker) -> Broker:
    with Connection(broker.url) as connection:
        declare(connection, [QueueSpec("receipts.v1.dead", "receipt", {})])
    return broker


def test_a_thousand_messages_are_confirmed_and_arrive_in_order(queue: Broker) -> None:
    with Publisher(queue.url) as publisher:
        fate = publisher.publish(messages(1000))
    assert fate.confirmed == set(range(1000))
    client = PlainClient(queue.url)
    found = client.take("receipts.v1.dead", 1000)
    assert [message.properties["message_id"] for message in found] == [f"n:{number}" for number in range(1000)]
    first = found[0].properties
    assert (first["content_type"], first["content_encoding"], first["delivery_mode"]) == (
        "application/json",
        "utf-8",
        2,
    )
    client.close()


@pytest.mark.trap(1)
@pytest.mark.case("C064")
def test_an_unroutable_message_is_never_counted_as_confirmed(queue: Broker) -> None:
    client = PlainClient(queue.url)
    client.channel.queue_unbind("receipts.v1.dead", "receipts.v1.dead", "receipt")
    client.close()
    with Publisher(queue.url) as publisher, pytest.raises(NotConfirmedError) as caught:
        publisher.publish(messages(3))
    assert (caught.value.fate.unroutable, caught.value.fate.confirmed) == ({0, 1, 2}, set())


def test_a_publisher_goes_on_after_an_unroutable_message(queue: Broker) -> None:
    client = PlainClient(queue.url)
    client.channel.exchange_declare("nowhere", "direct", durable=True, auto_delete=False)
    client.close()
    mixed = [*messages(2), *messages(1, "nowhere"), *messages(2)]
    with Publisher(queue.url) as publisher:
        fate = publisher.attempt(mixed)
        assert (fate.confirmed, fate.unroutable) == ({0, 1, 3, 4}, {2})
        assert publisher.publish(messages(1)).confirmed == {0}


def test_a_full_queue_refuses_and_the_rest_is_confirmed(broker: Broker) -> None:
    full = QueueSpec("receipts.v1.dead", "receipt", {"x-max-length": 2, "x-overflow": "reject-publish"})
    with Connection(broker.url) as connection:
        declare(connection, [full])
    with Publisher(broker.url) as publisher:
        fate = publisher.attempt(messages(300))
    assert fate.refused
    assert len(fate.confirmed) + len(fate.refused) == 300
    client = PlainClient(broker.url)
    assert client.ready("receipts.v1.dead") == len(fate.confirmed)
    client.close()


def test_a_missing_exchange_leaves_the_fate_unknown_and_the_next_call_works(queue: Broker) -> None:
    with Publisher(queue.url, confirm_seconds=3) as publisher:
        with pytest.raises(NotConfirmedError) as caught:
            publisher.publish(messages(1, "no.such.exchange"))
        assert caught.value.fate.unknown == {0}
        assert publisher.publish(messages(1)).complete


def test_a_connection_that_broke_while_idle_costs_nothing(queue: Broker) -> None:
    with Publisher(queue.url) as publisher:
        publisher.publish(messages(1))
        publisher.connection().connection.transport.sock.shutdown(socket.SHUT_RDWR)
        assert publisher.publish(messages(1)).complete


@pytest.mark.trap(3)
def test_what_a_publication_timed_out_on_is_never_the_confirmation_of_a_later_one(own_stack: Stack) -> None:
    start(own_stack, "rabbitmq")
    full = QueueSpec("receipts.v1.retry", "receipt", {"x-max-length": 1, "x-overflow": "reject-publish"})
    with Connection(own_stack.rabbitmq.url) as connection:
        declare(connection, [QueueSpec("receipts.v1.dead", "receipt", {}), full])
    with Publisher(own_stack.rabbitmq.url) as other:
        other.attempt(messages(100, full.name))
    with Publisher(own_stack.rabbitmq.url, confirm_seconds=1) as publisher:
        publisher.publish(messages(1))
        with frozen(own_stack, "rabbitmq"), pytest.raises(NotConfirmedError) as caught:
            publisher.publish(messages(100))
        assert caught.value.fate.unknown, "their confirmations come once the broker is thawed"
        assert publisher.attempt(messages(100, full.name)).refused == set(range(100))


@pytest.mark.trap(2)
@pytest.mark.case("C065")
def test_a_frozen_broker_ends_the_call_and_a_thawed_one_takes_the_next(own_stack: Stack) -> None:
    start(own_stack, "rabbitmq")
    url = own_stack.rabbitmq.url
    with Connection(url) as connection:
        declare(connection, [QueueSpec("receipts.v1.dead", "receipt", {})])
    with Publisher(url, confirm_seconds=1) as publisher:
        publisher.publish(messages(1))
        begun = time.monotonic()
        with frozen(own_stack, "rabbitmq"), pytest.raises((NotConfirmedError, BrokerAwayError)):
            publisher.publish(messages(1))
        assert time.monotonic() - begun < 20
        assert publisher.publish(messages(1)).complete


def test_a_dead_port_sends_nothing() -> None:
    with Publisher("amqp://guest:guest@127.0.0.1:9/none") as publisher, pytest.raises(BrokerAwayError):
        publisher.publish(messages(1))
