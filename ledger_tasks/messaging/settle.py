"""Where an outcome becomes an acknowledgement: return means acknowledge, RequeueError means give it back."""

import logging
import multiprocessing
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, assert_never

from ledger_tasks.errors import Infrastructure
from ledger_tasks.messaging.delivery import Delivery
from ledger_tasks.messaging.message import Message
from ledger_tasks.messaging.outcome import (
    Again,
    Dead,
    Done,
    Hold,
    Outcome,
    dead_copy,
    handed_back_copy,
    reason_of,
    retry_copy,
)
from ledger_tasks.messaging.publish import BrokerAwayError, NotConfirmedError, Publisher
from ledger_tasks.messaging.topology import Family
from ledger_tasks.messaging.trouble import waits_for, went_through
from ledger_tasks.metrics import DELIVERIES, DELIVERY_SECONDS, HOLDS

FIRST_PAUSE: Final = 0.2
LONGEST_PAUSE: Final = 5.0
"""Seconds between two looks at infrastructure that is away: soon at first, never a busy loop."""

BROKER_UNAVAILABLE: Final = "BROKER_UNAVAILABLE"
"""Infrastructure code: the broker confirmed no successor."""

stopping: Final = multiprocessing.get_context("fork").Event()
"""Set by the main process at SIGTERM and shared with its forked children, which Celery does not tell."""

log = logging.getLogger(__name__)


class RequeueError(Exception):
    """Not even a copy could be confirmed: the delivery itself must go back to its queue."""


@dataclass(slots=True)
class Patience:
    """How long one delivery may wait for infrastructure, counted from its start; cut short by a shutdown."""

    seconds: float
    started: float = field(default_factory=time.monotonic)

    def until(self, recovered: Callable[[], bool]) -> bool:
        """Poll with back-off until `recovered` (True), or until patience or the process ends (False)."""
        pause = FIRST_PAUSE
        while (left := self.left()) > 0:
            if stopping.wait(min(pause, left)):
                return False
            if recovered():
                return True
            pause = min(pause * 2, LONGEST_PAUSE)
        return False

    def left(self) -> float:
        """Return the seconds that remain."""
        return self.started + self.seconds - time.monotonic()

    def spent(self) -> float:
        """Return the seconds since its start."""
        return time.monotonic() - self.started

    def exhaust(self) -> None:
        """Wait for what remains, shutdown or not at most for that: a requeue may never spin."""
        while (left := self.left()) > 0 and not stopping.wait(left):
            pass


def conclude(
    attempt: Callable[[], Outcome],
    bug: Callable[[], Again | Dead],
    family: Family,
    delivery: Delivery,
    publisher: Publisher,
    patience: Patience,
) -> Outcome:
    """Attempt, wait out what is away, attempt again; then settle. Returns what was settled; the caller acknowledges.

    The one place where an unexpected exception becomes what `bug()` says: never a silent acknowledgement.
    """
    try:
        outcome = attempt()
        while isinstance(outcome, Hold):
            HOLDS.labels(family.work, outcome.reason.code).inc()
            waits_for(outcome.reason.code)
            log.warning("held", extra={"code": outcome.reason.code, "detail": outcome.reason.detail})
            if not patience.until(outcome.recovered):
                break
            outcome = attempt()
    except Exception:
        log.exception("a bug of ours")
        outcome = bug()
    settle(outcome, family, delivery, publisher, patience)
    if not isinstance(outcome, Hold):
        went_through()
    DELIVERIES.labels(family.work, type(outcome).__name__, _code(outcome)).inc()
    DELIVERY_SECONDS.labels(family.work).observe(patience.spent())
    return outcome


def _code(outcome: Outcome) -> str:
    return "" if isinstance(outcome, Done) else outcome.reason.code


def settle(outcome: Outcome, family: Family, delivery: Delivery, publisher: Publisher, patience: Patience) -> None:
    """Return only once every successor is confirmed: the caller's return is the acknowledgement.

    Raises RequeueError, never sooner than the end of patience, when not even a copy could be confirmed.
    """
    successors = _successors(outcome, family, delivery)

    def settled() -> bool:
        back = handed_back_copy(family, delivery, _unconfirmed(delivery))
        return _settled(outcome, publisher, successors) or _confirmed(publisher, [back])

    if not (_settled(outcome, publisher, successors) or (stopping.is_set() and settled()) or patience.until(settled)):
        patience.exhaust()
        raise RequeueError("the broker confirmed no successor")


def _settled(outcome: Outcome, publisher: Publisher, successors: list[Message]) -> bool:
    if not _confirmed(publisher, successors):
        return False
    if isinstance(outcome, Done | Dead):
        try:
            outcome.then()
        except Infrastructure as error:
            # The successors are confirmed: a marker left unconfirmed costs one more emission, never a receipt.
            log.warning("not recorded", extra={"code": error.code, "detail": error.detail})
    return True


def _successors(outcome: Outcome, family: Family, delivery: Delivery) -> list[Message]:
    match outcome:
        case Done():
            return list(outcome.events)
        case Again():
            return [retry_copy(family, delivery, outcome)]
        case Dead():
            return [*outcome.events, dead_copy(family, delivery, outcome)]
        case Hold():
            return [handed_back_copy(family, delivery, outcome)]
        case _:
            assert_never(outcome)


def _unconfirmed(delivery: Delivery) -> Hold:
    reason = reason_of(BROKER_UNAVAILABLE, "Infrastructure", "the broker did not confirm a successor")
    return Hold(reason, delivery.headers, recovered=lambda: True)


def _confirmed(publisher: Publisher, messages: list[Message]) -> bool:
    try:
        publisher.publish(messages)
    except (BrokerAwayError, NotConfirmedError) as error:
        waits_for(BROKER_UNAVAILABLE)
        log.warning("not confirmed", extra={"detail": str(error), "messages": len(messages)})
        return False
    return True
