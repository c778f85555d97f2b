"""Amounts with their roles come in; the amount that was due, with what confirms it and its rivals, goes out."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations
from typing import Final

from ledger_tasks.extraction.labels import Role
from ledger_tasks.extraction.priced import Priced, turned

MAX_PARTS: Final = 6
"""Subtotals and charges that are combined; a receipt with more is no slip."""

CENT: Final = Decimal("0.01")
LARGEST_ROUNDING: Final = Decimal("0.05")
"""Cash is rounded to five cents at most."""


@dataclass(frozen=True, slots=True)
class TotalFound:
    """The chosen amount, the names of what confirms it, its score, and its rivals with theirs, best first."""

    chosen: Priced
    confirmed_by: frozenset[str]
    score: float
    rivals: tuple[tuple[Decimal, float], ...]

    @property
    def lead(self) -> float:
        """Return by how much the best rival is behind."""
        return self.score - self.rivals[0][1] if self.rivals else self.score


def total(found: Sequence[Priced]) -> TotalFound | None:
    """Choose the total: labels, arithmetic, repetition and position each speak for a value, and the sum decides."""
    spoken: dict[Decimal, dict[str, float]] = {}
    found = [_without_dash(each) for each in found]
    for candidate in found:
        if candidate.value > 0:
            spoken.setdefault(candidate.value, {})
    for value, evidence in spoken.items():
        evidence.update(_evidence(value, found) | _counter_evidence(value, found))
    scored = sorted(((sum(evidence.values()), value) for value, evidence in spoken.items()), reverse=True)
    scored = [(score, value) for score, value in scored if score > 0]
    if not scored:
        return None
    score, best = scored[0]
    chosen = max((each for each in found if each.value == best), key=_plainness)
    return TotalFound(
        chosen,
        frozenset(name for name, weight in spoken[best].items() if weight > 0),
        score,
        tuple((value, other) for other, value in scored[1:4]),
    )


def items_sum(found: Sequence[Priced]) -> Decimal | None:
    """Return the sum of the last amounts of the rows above the first total, else payment; None without an item."""
    totals = [each.index for each in found if each.role in {Role.TOTAL, Role.SUBTOTAL}]
    paid = [each.index for each in found if each.role in {Role.CASH, Role.CARD}]
    first = min(totals or paid, default=0)
    rows = {each.index: each.value for each in found if each.index < first and each.role is Role.OTHER}
    return sum(rows.values(), Decimal(0)) if rows else None


def _without_dash(candidate: Priced) -> Priced:
    """Take the minus of a total for a dash or a currency sign; a refund is turned before it comes here."""
    is_dash = candidate.role is Role.TOTAL and candidate.value < 0
    return turned([candidate])[0] if is_dash else candidate


def _plainness(candidate: Priced) -> tuple[bool, int, int]:
    return candidate.role is Role.TOTAL and not candidate.in_tax_summary, candidate.weight, candidate.index


def _evidence(value: Decimal, found: Sequence[Priced]) -> dict[str, float]:
    """Return what speaks for a value."""
    here = [each for each in found if each.value == value]
    rest = [each for each in found if each.value != value]
    evidence: dict[str, float] = {}
    labels = [each.weight for each in here if each.role is Role.TOTAL and not each.in_tax_summary]
    if labels:
        evidence["label"] = max(labels)
    if len(labels) > 1:
        evidence["labels"] = 1
    if any(each.role in {Role.CASH, Role.CARD} for each in here):
        evidence["payment"] = 1
    cash, change = _values(found, Role.CASH, Role.CARD), _values(found, Role.CHANGE)
    if any(paid - back == value for paid in cash for back in change if back != paid):
        evidence["cash less change"] = 3
    if _adds_up(value, rest):
        evidence["sum"] = 2
    if value == items_sum(found):
        evidence["items"] = 2
    if len(here) > 1 and not labels:
        evidence["repeated"] = 0.5
    largest = max((each.value for each in found if each.role not in {Role.CASH, Role.CARD}), default=value)
    if value == largest:
        evidence["largest"] = 1
    return evidence


def _counter_evidence(value: Decimal, found: Sequence[Priced]) -> dict[str, float]:
    """Return what speaks against a value, below zero."""
    here = [each for each in found if each.value == value]
    evidence: dict[str, float] = {}
    against = {
        Role.SUBTOTAL: 1.0,
        Role.TAX: 2.0,
        Role.CHANGE: 2.0,
        Role.DISCOUNT: 2.0,
        Role.ROUNDING: 2.0,
        Role.COUNT: 1.0,
        Role.FACTOR: 2.0,
    }
    if not any(each.role is Role.TOTAL and not each.in_tax_summary for each in here):
        evidence["other role"] = -max((against.get(each.role, 0.0) for each in here), default=0.0)
    if _rounded(value, found):
        evidence["rounded away"] = -2.0
    if all(each.in_tax_summary for each in here):
        evidence["tax summary"] = -3.0
    return evidence


def _rounded(value: Decimal, found: Sequence[Priced]) -> bool:
    """Say whether another total is this value after a printed rounding."""
    totals = {each.value for each in found if each.role is Role.TOTAL}
    return any(
        value + sign * step in totals
        for step in _values(found, Role.ROUNDING)
        if CENT <= abs(step) <= LARGEST_ROUNDING
        for sign in (1, -1)
        if value % LARGEST_ROUNDING and not (value + sign * step) % LARGEST_ROUNDING
    )


def _adds_up(value: Decimal, found: Sequence[Priced]) -> bool:
    """Say whether a subtotal with taxes, charges, discounts and rounding gives the value, or several subtotals do."""
    steps = [
        *((each, (1,)) for each in _values(found, Role.TAX, Role.SERVICE, Role.TIP)),
        *((each, (-1, 1)) for each in _values(found, Role.DISCOUNT)),
        *((each, (1, -1)) for each in _values(found, Role.ROUNDING)),
    ]
    steps = [(step, signs) for step, signs in steps if step][:MAX_PARTS]
    parts = sorted(_values(found, Role.SUBTOTAL))[:MAX_PARTS]
    if any(sum(chosen) == value for size in (2, 3) for chosen in combinations(parts, size)):
        return True
    for start in parts:
        for size in range(1, min(4, len(steps)) + 1):
            for chosen in combinations(steps, size):
                if value in _reach(start, chosen):
                    return True
    return False


def _reach(start: Decimal, steps: Iterable[tuple[Decimal, tuple[int, ...]]]) -> set[Decimal]:
    reached = {start}
    for step, signs in steps:
        reached = {each + sign * step for each in reached for sign in signs}
    return reached


def _values(found: Iterable[Priced], *roles: Role) -> set[Decimal]:
    return set(Counter(each.value for each in found if each.role in roles))
