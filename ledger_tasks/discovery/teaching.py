"""PURE. Lessons from confirmed receipts come in; the hints that readers get about merchants go out."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import Final, TypeVar

from ledger_tasks.extraction.dates import dates
from ledger_tasks.extraction.hints import MAX_MERCHANTS, DateOrder, Hints, MerchantHint, merchant_key
from ledger_tasks.storage.lessons import Lesson

T = TypeVar("T")

LESSONS: Final = 20_000
"""Confirmed receipts that are looked at, the last first; older ones have taught enough."""

SHORTEST_KEY: Final = 3
"""Letters of a merchant's key below which it is a scrap of recognition, and no name."""


def learn(lessons: Sequence[Lesson], today: date) -> Hints:
    """Return what the lessons say about each merchant, the last taught first; what they contradict is left open."""
    taught: dict[str, list[Lesson]] = defaultdict(list)
    for lesson in lessons:
        for key in {merchant_key(lesson.read_merchant), merchant_key(lesson.merchant or lesson.read_merchant)}:
            if len(key) >= SHORTEST_KEY:
                taught[key].append(lesson)
    hints = {key: _about(of, today) for key, of in list(taught.items())[:MAX_MERCHANTS]}
    return Hints(merchants={key: hint for key, hint in hints.items() if hint != MerchantHint()})


def _about(lessons: Sequence[Lesson], today: date) -> MerchantHint:
    return MerchantHint(
        name=_agreed(lessons, lambda lesson: lesson.merchant),
        date_order=_agreed(lessons, lambda lesson: _order(lesson, today)),
        currency=_agreed(lessons, lambda lesson: lesson.currency),
    )


def _agreed(lessons: Iterable[Lesson], fact: Callable[[Lesson], T | None]) -> T | None:
    """Return what all lessons that speak of a fact say, None when they differ or none speaks of it."""
    said = {value for lesson in lessons if (value := fact(lesson)) is not None}
    return said.pop() if len(said) == 1 else None


def _order(lesson: Lesson, today: date) -> DateOrder | None:
    """Return whether the printed digits give the confirmed day with day or month first; None when both do, or none."""
    found = [each for each in dates(lesson.date_raw or "", today) if not each.named]
    orders = {order for each in found for order, day in each.days if day.isoformat() == lesson.day} - {"YMD"}
    return orders.pop() if len(orders) == 1 else None
