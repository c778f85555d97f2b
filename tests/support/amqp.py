"""A plain AMQP client, as any other program would use one: publish bytes, read a queue, wait for a count."""

import time
from collections.abc import Callable
from typing import Any

import amqp
from kombu import Connection

from ledger_tasks.messaging.depth import depth_of

PATIENCE_SECONDS = 60


class PlainClient:
    """Nothing of ours: what a stranger's publisher or dashboard does."""

    def __init__(self, url: str) -> None:
        self.connection = Connection(url)
        self.channel = self.connection.channel()

    def publish(self, exchange: str, routing_key: str, body: bytes, **properties: Any) -> None:
        self.channel.basic_publish(amqp.Message(body, **properties), exchange=exchange, routing_key=routing_key)

    def ready(self, queue: str) -> int:
        return depth_of(self.channel, queue).ready

    def take(self, queue: str, count: int = 1) -> list[Any]:
        """Wait for `count` messages, acknowledge and return them."""
        found: list[Any] = []

        def have_all() -> bool:
            while len(found) < count and (message := self.channel.basic_get(queue, no_ack=True)) is not None:
                found.append(message)
            return len(found) == count

        wait_until(have_all, f"{count} messages in {queue}")
        return found

    def close(self) -> None:
        self.connection.close()


def wait_until(condition: Callable[[], bool], what: str, seconds: float = PATIENCE_SECONDS) -> None:
    """Return when the condition holds; fail with what was waited for."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"did not come within {seconds} s: {what}"
        time.sleep(0.05)
