"""One flight of messages over one open channel: what is sent comes in, pipelined confirms come back, fates go out."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import amqp

from ledger_tasks.clock import now
from ledger_tasks.messaging.message import Message

WINDOW: Final = 200
"""Messages in flight before waiting for confirms: more gains nothing measurable, fewer costs round trips."""


@dataclass(slots=True)
class Fate:
    """What became of each message of a call, by its position: every position is in exactly one set."""

    confirmed: set[int] = field(default_factory=set)
    refused: set[int] = field(default_factory=set)
    unroutable: set[int] = field(default_factory=set)
    unknown: set[int] = field(default_factory=set)
    unsent: set[int] = field(default_factory=set)

    @property
    def complete(self) -> bool:
        """Say whether every message was confirmed."""
        return not (self.refused or self.unroutable or self.unknown or self.unsent)

    def counts(self) -> dict[str, int]:
        """Return how many messages met which fate."""
        return {name: len(getattr(self, name)) for name in ("confirmed", "refused", "unroutable", "unknown", "unsent")}


class Flight:
    """Messages on their way over one channel; sequence numbers are ours, and a return precedes its acknowledgement."""

    def __init__(self, channel: Any, tags: Iterator[int], batch: list[Message], confirm_seconds: float) -> None:
        self._channel = channel
        self._tags = tags
        self._batch = batch
        self._silence = confirm_seconds
        self._open: dict[int, int] = {}
        self._returned: set[int] = set()
        self.fate = Fate()

    def fly(self) -> None:
        """Send everything and wait for every answer; what was cut off is unknown or unsent."""
        self._subscribe()
        unsent = iter(range(len(self._batch)))
        try:
            for position in unsent:
                self._send(position)
                if len(self._open) >= WINDOW:
                    self._drain(to=WINDOW // 2)
            self._drain(to=0)
        except (OSError, amqp.AMQPError, TimeoutError):
            self._give_up(unsent)
        finally:
            self._unsubscribe()

    def _send(self, position: int) -> None:
        message = self._batch[position]
        self._open[next(self._tags)] = position
        self._channel.basic_publish(
            amqp.Message(message.body, **message.properties(now())),
            exchange=message.exchange,
            routing_key=message.routing_key,
            mandatory=True,
        )

    def _drain(self, *, to: int) -> None:
        """Take answers until at most `to` messages are in flight: half a window at a time, so that sends stay dense."""
        before, deadline = len(self._open), time.monotonic() + self._silence
        while len(self._open) > to:
            self._channel.connection.drain_events(timeout=self._silence)
            if len(self._open) < before:
                before, deadline = len(self._open), time.monotonic() + self._silence
            elif time.monotonic() > deadline:
                raise TimeoutError

    def _give_up(self, unsent: Iterator[int]) -> None:
        self.fate.unknown.update(self._open.values())
        self.fate.unsent.update(unsent)

    def _subscribe(self) -> None:
        self._channel.events["basic_ack"].add(self._on_ack)
        self._channel.events["basic_nack"].add(self._on_nack)
        self._channel.events["basic_return"].add(self._on_return)

    def _unsubscribe(self) -> None:
        self._channel.events["basic_ack"].discard(self._on_ack)
        self._channel.events["basic_nack"].discard(self._on_nack)
        self._channel.events["basic_return"].discard(self._on_return)

    def _on_ack(self, tag: int, multiple: bool) -> None:
        for position in self._settled(tag, multiple):
            (self.fate.unroutable if position in self._returned else self.fate.confirmed).add(position)

    def _on_nack(self, tag: int, multiple: bool) -> None:
        self.fate.refused.update(self._settled(tag, multiple))

    def _on_return(self, _error: Exception, exchange: str, routing_key: str, returned: Any) -> None:
        body = returned.body if isinstance(returned.body, bytes) else str(returned.body).encode()
        for position in self._open.values():
            sent = self._batch[position]
            if (sent.exchange, sent.routing_key, sent.body) == (exchange, routing_key, body):
                self._returned.add(position)

    def _settled(self, tag: int, multiple: bool) -> list[int]:
        tags = [each for each in self._open if each <= tag] if multiple else [tag] if tag in self._open else []
        return [self._open.pop(each) for each in tags]
