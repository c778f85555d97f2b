"""Confirmed publishing, one way for one message and for thousands: messages go in, the fate of each comes out."""

from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any, Final, Self

import amqp
from kombu import Connection

from ledger_tasks.messaging.flight import Fate, Flight
from ledger_tasks.messaging.message import Message
from ledger_tasks.messaging.tls import tls_of
from ledger_tasks.metrics import PUBLICATIONS

CONFIRM_SECONDS: Final = 10.0
"""Longest silence while confirms are due: a quorum queue confirms in milliseconds, an election takes about 1 s."""

CONNECT_SECONDS: Final = 5.0
SOCKET_SECONDS: Final = 4.0
"""Read and write limit of one socket call: without it a frozen broker blocks even the close, for ever."""


class BrokerAwayError(Exception):
    """No connection: nothing was sent."""


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
        flight = Flight(self._open(), self._tags, batch, self._confirm_seconds)
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
            connection.drain_events(timeout=0)  # a look; any wait at all is rounded up to a whole millisecond
        except TimeoutError:
            return bool(self._channel.is_open)
        except (OSError, amqp.AMQPError):
            return False
        return bool(self._channel is not None and self._channel.is_open)
