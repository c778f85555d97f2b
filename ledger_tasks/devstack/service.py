"""What the stack knows about a server: the programs that make it, and how to tell that it answers."""

from collections.abc import Sequence
from typing import Literal, Protocol

from ledger_tasks.devstack.program import Program

ServiceName = Literal["rabbitmq", "postgresql", "nats", "s3"]


class NotReadyError(Exception):
    """The server does not answer yet, or not any more."""


class Service(Protocol):
    """One server on loopback ports with its data in one folder."""

    @property
    def name(self) -> ServiceName:
        """The service's name, also that of its main program."""

    @property
    def url(self) -> str:
        """The address for clients, credentials included."""

    def programs(self) -> Sequence[Program]:
        """Write what the server needs and return its programs in starting order. Safe to repeat."""

    def probe(self) -> None:
        """Return when the server does real work. Raises NotReadyError."""
