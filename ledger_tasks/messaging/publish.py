"""Confirmed publishing, one way for one message and for thousands: messages go in, the fate of each comes out."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final, Self

import amqp
from kombu import Connection

from ledger_tasks.clock import now
from ledger_tasks.messaging.message import Message
from ledger_tasks.messaging.tls import tls_of
from ledger_tasks.metrics import PUBLICATIONS

WINDOW: Final = 200
"""Messages in flight before waiting for confirms: more gains nothing measurable, fewer costs round trips."""

CONFIRM_SECONDS: Final = 10.0
"""Longest silence while confirms are due: a quorum queue confirms in milliseconds, an election takes about 1 s."""

CONNECT_SECONDS: Final = 5.0
SOCKET_SECONDS: Final = 4.0
"""Read and write limit of one socket call: without it a frozen broker blocks even the close, for ever."""


class BrokerAwayError(Exception):
    """No connection: nothing was sent."""


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


class NotConfirmedError(Exception):
    """At least one message was not confirmed; `fate` says which and how."""

    def __init__(self, fate: Fate) -> None:
        super().__init__(", ".join(f"{number} {name}" for name, number in fate.counts().items() if number))
        self.fate = fate


class Publisher:
    """Publishes on a connection of its own, opened when first needed and thrown away after any trouble.

    A channel that timed out is never used again: py-amqp would take an old acknowledgement for the next message's.
    """

    def __init__(self, url: str, *, confirm_seconds: float = CONFIRM_SECONDS) -> None:
        self._url = url
        self._confirm_seconds = confirm_seconds
        self._connection: Connection | None = None
        self._channel: Any = None
        self._tags: Iterator[int] = count(1)

    def publish(self, messages: Iterable[Message]) -> Fate:
        """Return once all are confirmed. Raises BrokerAwayError (nothing sent) or NotConfirmedError."""
        batch = list(messages)
        fate = self.attempt(batch)
        if not fate.complete:
            raise NotConfirmedError(fate)
        return fate

    def attempt(self, batch: list[Message]) -> Fate:
        """Publish with pipelined confirms and return the fate of each. Raises BrokerAwayError when nothing was sent."""
        if not batch:
            return Fate()
        flight = _Flight(self._open(), self._tags, batch, self._confirm_seconds)
        try:
            flight.fly()
        finally:
            # Also after a refusal: a channel whose queue lost its leader was seen to refuse everything from then on.
            if not flight.fate.complete:
                self.close()
        for fate, number in flight.fate.counts().items():
            PUBLICATIONS.labels(fate).inc(number)
        return flight.fate

    def connection(self) -> Connection:
        """Return the open kombu connection, for declarations. Raises BrokerAwayError."""
        if self._connection is None:
            connection = Connection(
                self._url,
                ssl=tls_of(self._url),
                connect_timeout=CONNECT_SECONDS,
                transport_options={"read_timeout": SOCKET_SECONDS, "write_timeout": SOCKET_SECONDS},
            )
            try:
                connection.connect()
            except connection.connection_errors as error:
                raise BrokerAwayError(type(error).__name__) from None
            self._connection = connection
        return self._connection

    def close(self) -> None:
        """Drop the connection without a word to the broker: it may be frozen."""
        connection, self._connection, self._channel = self._connection, None, None
        if connection is not None:
            connection.collect()

    def __enter__(self) -> Self:
        """Use as a context manager; leaving closes."""
        return self

    def __exit__(self, *_exception: object) -> None:
        """Close."""
        self.close()

    def _open(self) -> Any:
        if self._channel is None:
            connection = self.connection()
            try:
                self._channel, self._tags = connection.channel(), count(1)
                self._channel.confirm_select()
            except (*connection.connection_errors, *connection.channel_errors) as error:
                self.close()
                raise BrokerAwayError(type(error).__name__) from None
        elif not self._alive():
            self.close()
            return self._open()
        return self._channel

    def _alive(self) -> bool:
        """Notice a connection that the broker closed while it was idle, so that nothing is sent into a dead socket."""
        connection = self._channel.connection
        try:
            connection.drain_events(timeout=0.0001)
        except TimeoutError:
            return bool(self._channel.is_open)
        except (OSError, amqp.AMQPError):
            return False
        return bool(self._channel is not None and self._channel.is_open)


class _Flight:
    """One call of `attempt`: sequence numbers are ours, a return precedes the acknowledgement of the same message."""

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
