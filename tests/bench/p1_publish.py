"""P1: 5000 confirmed v1 messages against the limit (no confirms) and against one confirm each."""

import time
from collections.abc import Callable
from typing import Any

import amqp
from kombu import Connection

from contracts.receipts.work import process
from ledger_tasks.clock import new_id, now
from ledger_tasks.messaging.message import Message, work_message
from ledger_tasks.messaging.publish import Publisher
from ledger_tasks.messaging.topology import RECEIPTS, declare, receipts_topology
from tests.bench.harness import Row, alternate, rate_row, seconds
from tests.support.servers import throwaway_stack

MESSAGES = 5000
ROUNDS = 5


def run() -> list[Row]:
    with throwaway_stack("bench-p1") as stack:
        stack.start("rabbitmq")
        url = stack.rabbitmq.url
        with Connection(url) as connection, Publisher(url) as publisher:
            declare(connection, receipts_topology())
            made = [
                work_message(process(f"{number:064x}", f"2026/{number}.jpg"), publication=new_id())
                for number in range(MESSAGES)
            ]
            channel = connection.channel()
            ours, limit, one_each = alternate(
                ROUNDS,
                emptied(channel, lambda: publisher.publish(made)),
                emptied(channel, lambda: without_confirms(channel, made)),
                emptied(channel, one_confirm_each(connection, made)),
            )
    return [
        rate_row("P1", "publish 5000, all confirmed / no confirms", MESSAGES, ours, limit, 0.85),
        rate_row("P1", "publish 5000, all confirmed / one confirm each", MESSAGES, ours, one_each, 4),
    ]


def emptied(channel: Any, work: Callable[[], object]) -> Callable[[], float]:
    """Measure on an empty queue each time."""

    def measured() -> float:
        channel.queue_purge(RECEIPTS.work)
        return seconds(work)

    return measured


def send(channel: Any, message: Message) -> None:
    channel.basic_publish(
        amqp.Message(message.body, **message.properties(now())),
        exchange=message.exchange,
        routing_key=message.routing_key,
        mandatory=True,
    )


def without_confirms(channel: Any, messages: list[Message]) -> None:
    """Send and wait only until the broker has them all: the limit of what one connection can carry."""
    for message in messages:
        send(channel, message)
    while channel.queue_declare(RECEIPTS.work, passive=True).message_count < len(messages):
        time.sleep(0.001)


def one_confirm_each(connection: Connection, messages: list[Message]) -> Callable[[], None]:
    channel: Any = connection.channel()
    channel.confirm_select()
    answered: list[int] = []
    channel.events["basic_ack"].add(lambda tag, _multiple: answered.append(tag))

    def publish() -> None:
        for message in messages:
            before = len(answered)
            send(channel, message)
            while len(answered) == before:
                connection.drain_events()

    return publish
