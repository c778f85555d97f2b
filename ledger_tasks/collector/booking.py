"""PURE. A reading and the bookings and receipts like it come in; its verdict comes out: booked, or what is open."""

from dataclasses import dataclass
from typing import Final

from ledger_tasks.collector.reading import Reading
from ledger_tasks.storage.expenses import Facts
from ledger_tasks.storage.likeness import Likeness

AMBIGUOUS: Final = "EXPENSE_AMBIGUOUS"
DUPLICATE: Final = "POSSIBLE_DUPLICATE"
NEW: Final = "new"
"""Value of the correction `booking` that asks for a booking of its own."""


@dataclass(frozen=True, slots=True)
class Booked:
    """The receipt can be booked: these facts, on its own booking, a new one, or the one that it adopts."""

    facts: Facts
    adopts: int | None


@dataclass(frozen=True, slots=True)
class Open:
    """A person must look, at the receipts like it (hashes) too; a booking that the receipt has stays as it is."""

    reasons: tuple[str, ...]
    twins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Copied:
    """A person said that it is a copy of another receipt: nothing is booked, and nothing is open."""

    of: str


Verdict = Booked | Copied | Open


def decide(reading: Reading, like: Likeness) -> Verdict:
    """Say whether a reading can be booked, and on which booking."""
    if reading.copy_of is not None:
        return Copied(reading.copy_of)
    reasons = [*reading.reasons]
    twins = () if reading.accepted else like.twins
    if twins:
        reasons.append(DUPLICATE)
    if like.own is None and len(like.candidates) > 1 and reading.booking is None:
        reasons.append(AMBIGUOUS)
    facts = reading.facts
    if reasons or facts is None:
        return Open(tuple(dict.fromkeys(reasons)), twins)
    return Booked(facts, _adopted(reading.booking, like))


def extraction_status(reading: Reading, verdict: Verdict) -> str:
    """Return `complete`, `review` or `unreadable` as it stands after people and our own checks."""
    if not isinstance(verdict, Open):
        return "complete"
    return "unreadable" if reading.read_status == "unreadable" else "review"


def _adopted(chosen: str | None, like: Likeness) -> int | None:
    if like.own is not None or chosen == NEW:
        return None
    return int(chosen) if chosen is not None else next(iter(like.candidates), None)
