"""Amounts with their roles come in; the amount that was due, with what confirms it and its rivals, goes out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations
from typing import Final

from ledger_tasks.extraction.labels import Role
from ledger_tasks.extraction.priced import Priced, turned

MAX_PARTS: Final = 6
"""Subtotals and charges that are combined; a receipt with more is no slip."""

AGAINST: Final = {
    Role.SUBTOTAL: 1.0,
    Role.TAX: 2.0,
    Role.CHANGE: 2.0,
    Role.DISCOUNT: 2.0,
    Role.ROUNDING: 2.0,
    Role.COUNT: 1.0,
    Role.FACTOR: 2.0,
}
"""How much another role of a value speaks against its being the total."""

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
    known = _Known([_without_dash(each) for each in found])
    spoken = {value: known.evidence(value) for value in known.places if value > 0}
    scored = sorted(((sum(evidence.values()), value) for value, evidence in spoken.items()), reverse=True)
    scored = [(score, value) for score, value in scored if score > 0]
    if not scored:
        return None
    score, best = scored[0]
    return TotalFound(
        max(known.places[best], key=_plainness),
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


class _Known:
    """What the amounts of a receipt say about any value; each is computed once, a page may hold thousands."""

    def __init__(self, found: Sequence[Priced]) -> None:
        self.places: dict[Decimal, list[Priced]] = {}
        for each in found:
            self.places.setdefault(each.value, []).append(each)
        values = {role: {each.value for each in found if each.role is role} for role in Role}
        self._totals = values[Role.TOTAL]
        self._roundings = [step for step in values[Role.ROUNDING] if CENT <= abs(step) <= LARGEST_ROUNDING]
        self._items = items_sum(found)
        self._sums = _sums(values)
        paid = sorted(values[Role.CASH] | values[Role.CARD])[:MAX_PARTS]
        back = sorted(values[Role.CHANGE])[:MAX_PARTS]
        self._left = {cash - change for cash in paid for change in back if cash != change}
        self._largest = max((each.value for each in found if each.role not in {Role.CASH, Role.CARD}), default=None)

    def evidence(self, value: Decimal) -> dict[str, float]:
        """Return what speaks for a value and, below zero, against it."""
        here = self.places[value]
        labels = [each.weight for each in here if each.role is Role.TOTAL and not each.in_tax_summary]
        evidence = {
            "label": max(labels, default=0),
            "labels": 1 if len(labels) > 1 else 0,
            "payment": 1 if any(each.role in {Role.CASH, Role.CARD} for each in here) else 0,
            "cash less change": 3 if value in self._left else 0,
            "sum": 2 if value in self._sums else 0,
            "items": 2 if value == self._items else 0,
            "repeated": 0.5 if len(here) > 1 and not labels else 0,
            "largest": 1 if value == self._largest else 0,
            # What was paid less the change is the total, also where it stands as the subtotal only.
            "other role": 0 if labels or value in self._left else -max(AGAINST.get(each.role, 0.0) for each in here),
            "rounded away": -2 if self._is_rounded(value) else 0,
            "tax summary": -3 if all(each.in_tax_summary for each in here) else 0,
        }
        return {name: weight for name, weight in evidence.items() if weight}

    def _is_rounded(self, value: Decimal) -> bool:
        """Say whether another total is this value after a printed rounding."""
        if not value % LARGEST_ROUNDING:
            return False
        reached = (value + sign * step for step in self._roundings for sign in (1, -1))
        return any(each in self._totals and not each % LARGEST_ROUNDING for each in reached)


def _sums(values: Mapping[Role, set[Decimal]]) -> set[Decimal]:
    """Return what a subtotal gives with taxes, charges, discounts and rounding, and what several subtotals give."""
    steps = [
        *((each, (1,)) for each in sorted(values[Role.TAX] | values[Role.SERVICE] | values[Role.TIP])),
        *((each, (-1, 1)) for each in sorted(values[Role.DISCOUNT])),
        *((each, (1, -1)) for each in sorted(values[Role.ROUNDING])),
    ]
    steps = [(step, signs) for step, signs in steps if step][:MAX_PARTS]
    parts = sorted(values[Role.SUBTOTAL])[:MAX_PARTS]
    reached = {sum(chosen, Decimal(0)) for size in (2, 3) for chosen in combinations(parts, size)}
    for size in range(1, min(4, len(steps)) + 1):
        for chosen in combinations(steps, size):
            for start in parts:
                reached |= _reach(start, chosen)
    return reached


def _reach(start: Decimal, steps: Iterable[tuple[Decimal, tuple[int, ...]]]) -> set[Decimal]:
    reached = {start}
    for step, signs in steps:
        reached = {each + sign * step for each in reached for sign in signs}
    return reached


def _without_dash(candidate: Priced) -> Priced:
    """Take the minus of a total for a dash or a currency sign; a refund is turned before it comes here."""
    is_dash = candidate.role is Role.TOTAL and candidate.value < 0
    return turned([candidate])[0] if is_dash else candidate


def _plainness(candidate: Priced) -> tuple[bool, int, int]:
    return candidate.role is Role.TOTAL and not candidate.in_tax_summary, candidate.weight, candidate.index
