"""How many messages a queue has ready and how many consume it; a queue that cannot tell is asked again."""

import time
from typing import Any, Final, NamedTuple

from ledger_tasks.messaging.publish import BrokerAwayError

GIVEN_UP_SECONDS: Final = 0.2
"""RabbitMQ waits 0.25 s for the leader of a quorum queue and then answers 0 and 0, as for an empty queue (measured)."""

PATIENCE_SECONDS: Final = 5.0
"""A leader that says nothing for so long is trouble for an operator, not a short wait for a disk."""


class Depth(NamedTuple):
    """Messages ready, and consumers; one that was cancelled counts while it holds messages."""

    ready: int
    consumers: int


def depth_of(channel: Any, queue: str) -> Depth:
    """Ask an open channel of py-amqp. Raises its NotFound and AccessRefused, and BrokerAwayError for a silent queue."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        asked = time.monotonic()
        told = channel.queue_declare(queue, passive=True)
        answered = time.monotonic()
        if told.message_count or told.consumer_count or answered - asked < GIVEN_UP_SECONDS:
            return Depth(int(told.message_count), int(told.consumer_count))
        if answered > deadline:
            raise BrokerAwayError(f"the queue {queue} does not say what lies in it")
