"""Works come in, are published in confirmed windows, and what became of all of them goes out as one value."""

import time
from collections.abc import Iterable
from dataclasses import dataclass

from contracts.receipts.work import Work
from ledger_tasks.errors import (
    ConfigurationError,
    DependencyDownError,
    FateUnknownError,
    LedgerError,
    PartlyConfirmedError,
)
from ledger_tasks.messaging.flight import Fate
from ledger_tasks.messaging.message import work_message
from ledger_tasks.messaging.publish import BrokerAwayError, Publisher
from ledger_tasks.tracing import began


@dataclass(frozen=True, slots=True)
class Publication:
    """One work message and the UUID of this publication of it."""

    work: Work
    id: str
    yielded: str | None = None
    """Set for work of a batch: the token of new receipts that it has let pass."""


def send(publisher: Publisher, publications: Iterable[Publication]) -> Fate:
    """Publish one window and return the fate of each by its position; never raises for a broker that is away."""
    window, begun = list(publications), time.time_ns()
    try:
        fate = publisher.attempt(
            [work_message(each.work, publication=each.id, yielded=each.yielded) for each in window]
        )
    except BrokerAwayError:
        return Fate(unsent=set(range(len(window))))
    began("receipts.publish", (window[position].id for position in fate.confirmed), begun, window=len(window))
    return fate


def trouble_of(fate: Fate, confirmed: int, *, rerun: str) -> LedgerError | None:
    """Say what an incomplete window means for the whole command; `rerun` is the command that is safe to repeat."""
    count = f"{confirmed} confirmed before"
    if fate.unroutable:
        return ConfigurationError(
            f"the broker has no queue for our work messages ({count})",
            remedy="A binding is missing; `ledger doctor` names it.",
            next_command="ledger doctor",
        )
    if fate.unknown:
        return FateUnknownError(
            f"the broker fell silent: {len(fate.unknown)} publications may or may not have arrived ({count})",
            remedy="Run the same again: a duplicate is harmless.",
            next_command=rerun,
        )
    if fate.complete:
        return None
    kind = PartlyConfirmedError if confirmed else DependencyDownError
    why = "refused publications: its queue is full" if fate.refused else "cannot be reached"
    return kind(
        f"the broker {why} ({count})",
        remedy="Wait until the broker is back or the queue has room, then run the same again.",
        next_command=rerun,
    )
