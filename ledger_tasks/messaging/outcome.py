"""PURE. What may become of a delivery, as values; and the copies that stand for it in the retry and dead queues."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from contracts.receipts.codes import FailureCode
from ledger_tasks.messaging.delivery import Delivery
from ledger_tasks.messaging.message import HELD, JSON_TYPE, Message
from ledger_tasks.messaging.topology import Family

Headers = Mapping[str, str | int]

MESSAGE_LIMIT: Final = 512
"""Characters of error_message on a copy."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a copy was made; the text holds no absolute path and no secret."""

    code: str
    kind: str
    detail: str


def nothing() -> None:
    """Do nothing once the successors are confirmed."""


@dataclass(frozen=True, slots=True)
class Done:
    """Everything is known: publish the events (maybe none), call `then`, acknowledge."""

    events: tuple[Message, ...] = ()
    then: Callable[[], None] = nothing


@dataclass(frozen=True, slots=True)
class Again:
    """Another attempt after the retry delay; `body` and `headers` are those of the next attempt."""

    body: bytes
    headers: Headers
    reason: Reason


@dataclass(frozen=True, slots=True)
class Dead:
    """No further attempt: events first (run-failed), then the untouched body to the dead letters, then `then`."""

    reason: Reason
    headers: Headers
    events: tuple[Message, ...] = ()
    then: Callable[[], None] = nothing


@dataclass(frozen=True, slots=True)
class Hold:
    """Infrastructure is away: wait until `recovered` says otherwise, then try again; else hand back."""

    reason: Reason
    headers: Headers
    recovered: Callable[[], bool]


Outcome = Done | Again | Dead | Hold


def reason_of(code: FailureCode | str, kind: str, detail: str) -> Reason:
    """Make a reason with the detail cut to its limit and to one line."""
    return Reason(str(code), kind, " ".join(detail.split())[:MESSAGE_LIMIT])


def retry_copy(family: Family, delivery: Delivery, again: Again) -> Message:
    """Return the copy that comes back to work after the retry delay."""
    return _copy(family.retry, family, delivery, again.body, again.headers, again.reason)


def handed_back_copy(family: Family, delivery: Delivery, hold: Hold) -> Message:
    """Return the same attempt once more, after the retry delay and with a fresh delivery count."""
    headers = {**hold.headers, HELD: delivery.number(HELD) + 1}
    return _copy(family.retry, family, delivery, delivery.body, headers, hold.reason)


def dead_copy(family: Family, delivery: Delivery, dead: Dead) -> Message:
    """Return the untouched body for the dead letters."""
    return _copy(family.dead, family, delivery, delivery.body, dead.headers, dead.reason)


def _copy(exchange: str, family: Family, delivery: Delivery, body: bytes, headers: Headers, reason: Reason) -> Message:
    """Address a copy with our own properties and headers only: never x-death, expiration, CC or BCC."""
    said = {"error_code": reason.code, "error_type": reason.kind, "error_message": reason.detail}
    ours = delivery.content_type in {None, JSON_TYPE}
    return Message(
        exchange,
        family.routing_key,
        body,
        delivery.message_id,
        delivery.type,
        {**delivery.headers, **headers, **said},
        JSON_TYPE if ours else "application/octet-stream",
    )
