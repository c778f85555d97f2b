"""The topology, declared once: every exchange and quorum queue of RECEIPTS section 3, and how to make or check them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from amqp.exceptions import AccessRefused, NotFound, PreconditionFailed

from beat_schedule import Tick, timetable
from ledger_tasks.errors import ConfigurationError, DependencyDownError

MAX_LENGTH: Final = 100_000
"""Messages of one family queue before publishers are refused."""

DELIVERY_LIMIT: Final = 20
"""Deliveries of a work message before the broker dead-letters it; we settle it ourselves at 18."""

NEVER: Final = 2_147_483_647
"""Delivery limit of the dead queues: looking must never use one up, on 3.10 (-1 drops) and on 4.x (absent is 20)."""

TICK: Final = "tick"
EPOCH: Final = "ledger.v1.epoch"


@dataclass(frozen=True, slots=True)
class Family:
    """Work, retry and dead of one kind of message; each name is an exchange and a queue."""

    work: str
    retry: str
    dead: str
    routing_key: str


RECEIPTS: Final = Family("receipts.v1.work", "receipts.v1.retry", "receipts.v1.dead", "receipt")
RESULTS: Final = Family("ocr.results.v1.work", "ocr.results.v1.retry", "ocr.results.v1.dead", "ocr-result")
FAMILIES: Final = (RECEIPTS, RESULTS)


@dataclass(frozen=True, slots=True)
class QueueSpec:
    """A durable direct exchange and the durable quorum queue of the same name bound to it."""

    name: str
    routing_key: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def queue_arguments(self) -> dict[str, Any]:
        """Return the arguments as the broker gets them."""
        return {"x-queue-type": "quorum", **self.arguments}


def topology(retry_seconds: float = 60, outbox_poll_seconds: float = 5) -> tuple[QueueSpec, ...]:
    """Return every queue we own, ticks included."""
    families = [spec for family in FAMILIES for spec in _family(family, retry_seconds)]
    ticks = [_tick(each) for each in timetable(outbox_poll_seconds)]
    return (*families, *ticks, QueueSpec(EPOCH, "epoch"))


def receipts_topology(retry_seconds: float = 60) -> tuple[QueueSpec, ...]:
    """Return the queues of the receipts half: all but the recognition ticks."""
    return tuple(spec for spec in topology(retry_seconds) if not spec.name.startswith("recognition."))


def _family(family: Family, retry_seconds: float) -> tuple[QueueSpec, QueueSpec, QueueSpec]:
    bounded = {"x-overflow": "reject-publish", "x-max-length": MAX_LENGTH}
    key = family.routing_key
    return (
        QueueSpec(
            family.work,
            key,
            bounded | _dead_letter(family.dead, key) | {"x-delivery-limit": DELIVERY_LIMIT},
        ),
        QueueSpec(
            family.retry,
            key,
            bounded | _dead_letter(family.work, key) | {"x-message-ttl": int(retry_seconds * 1000)},
        ),
        QueueSpec(family.dead, key, bounded | {"x-delivery-limit": NEVER}),
    )


def _dead_letter(exchange: str, routing_key: str) -> dict[str, Any]:
    return {
        "x-dead-letter-exchange": exchange,
        "x-dead-letter-routing-key": routing_key,
        "x-dead-letter-strategy": "at-least-once",
    }


def _tick(tick: Tick) -> QueueSpec:
    bounded = {"x-max-length": 1, "x-overflow": "drop-head", "x-message-ttl": int(tick.seconds * 1000)}
    return QueueSpec(tick.queue, TICK, bounded)


def declare(connection: Any, specs: Iterable[QueueSpec]) -> list[str]:
    """Declare the specs on a kombu connection; return those that the user may not declare, which are only there.

    Raises ConfigurationError for unequal arguments (with both values) and DependencyDownError for what is missing.
    """
    only_there = []
    for spec in specs:
        try:
            with connection.channel() as channel:
                _declare(channel, spec)
        except AccessRefused:
            _check(connection, spec)
            only_there.append(spec.name)
        except PreconditionFailed as error:
            raise ConfigurationError(
                f"queue or exchange {spec.name} exists with other arguments: {error.reply_text}",
                remedy="Set the arguments back, or drain and delete the queue so that it is declared anew.",
                next_command="ledger doctor",
            ) from None
    return only_there


def _declare(channel: Any, spec: QueueSpec) -> None:
    channel.exchange_declare(spec.name, "direct", durable=True, auto_delete=False)
    channel.queue_declare(spec.name, durable=True, auto_delete=False, arguments=spec.queue_arguments)
    channel.queue_bind(spec.name, spec.name, spec.routing_key)


def _check(connection: Any, spec: QueueSpec) -> None:
    """Look for both; a passive look needs no permission, and shows no arguments to compare."""
    try:
        with connection.channel() as channel:
            channel.exchange_declare(spec.name, "direct", passive=True)
            channel.queue_declare(spec.name, passive=True)
    except NotFound as error:
        raise DependencyDownError(
            f"{error.reply_text}; this broker user may not declare it",
            remedy="Start a role that may declare (publisher or beat), or load the shipped definitions.",
        ) from None
