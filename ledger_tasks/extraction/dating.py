"""Rows of a receipt come in; the day it was written, with what confirms it and its rivals, goes out."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from ledger_tasks.extraction.dates import DateFound, dates, is_damaged_or_far
from ledger_tasks.extraction.hints import DateOrder
from ledger_tasks.extraction.labels import letters
from ledger_tasks.extraction.lines import Row

_LABEL: Final = re.compile(r"date|datum|fecha|дата|tarikh|d[ao]te")
_OTHER_DAY: Final = re.compile(
    r"expir|valid|until|till|due|gultig|fallig|birth|member|since|delivery|liefer|best.?before|promo|from|start|return|"
    r"exchange|warrant|effective|umtausch|bis$|echeance|echange|jusqu|valable|vence|caduc|hasta|devoluci|"
    r"действ|срок|обмен|возврат|до$"
)
"""Words before a day that is not the day of the purchase."""

OTHER_DAY: Final = "other day"
_CLOCK: Final = re.compile(r"(?<!\d)(?:[01]?\d|2[0-3])[:.][0-5]\d(?!\d)|\d ?[ap]\.?m\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Dated:
    """The chosen day, or None with both candidates; where it stands; what confirms it; its rivals, best first."""

    day: date | None
    candidates: tuple[date, ...]
    found: DateFound
    row: Row
    confirmed_by: frozenset[str]
    rivals: tuple[date, ...]
    is_other_day: bool
    """The words before it say that it is another day: it was taken for want of a better one."""

    @property
    def line_confidence(self) -> float:
        """Return the confidence of the part of the row in which the date begins."""
        holding = [line.confidence for line in self.row.lines if self.found.raw[:5] in line.text]
        return min(holding) if holding else self.row.confidence


def dated(rows: Sequence[Row], today: date, order: DateOrder | None) -> Dated | None:
    """Choose the date. `order` is how this country or this merchant writes; None leaves what is ambiguous open."""
    seen = [(found, row) for row in rows for found in dates(row.text, today)]
    order = order or _order_shown(found for found, _ in seen)
    spoken: dict[tuple[date, ...], dict[str, float]] = {}
    places: dict[tuple[date, ...], list[tuple[DateFound, Row]]] = {}
    for found, row in seen:
        days = _days(found, order)
        said = _evidence(found, row)
        evidence = spoken.setdefault(days, dict(said))
        if OTHER_DAY not in said:
            evidence.pop(OTHER_DAY, None)
        for name, weight in said.items():
            if name != OTHER_DAY:
                evidence[name] = max(weight, evidence.get(name, weight))
        places.setdefault(days, []).append((found, row))
        if len(places[days]) > 1:
            evidence["repeated"] = 1
    if not spoken:
        return None
    ranked = sorted(spoken, key=lambda days: (-sum(spoken[days].values()), seen.index(places[days][0])))
    best = ranked[0]
    found, row = places[best][0]
    return Dated(
        best[0] if len(best) == 1 else None,
        best,
        found,
        row,
        frozenset(name for name, weight in spoken[best].items() if weight > 0),
        tuple(day for days in ranked[1:] if sum(spoken[days].values()) > 0 for day in days if day not in best),
        OTHER_DAY in spoken[best],
    )


def implausible(rows: Sequence[Row], today: date) -> bool:
    """Say whether the rows hold a date that is damaged, in the future or too old to be true."""
    return any(is_damaged_or_far(row.text, today) for row in rows)


def _days(found: DateFound, order: DateOrder | None) -> tuple[date, ...]:
    """Return the days that the digits may mean here, without repeats."""
    preferred = [day for known, day in found.days if known == order]
    return tuple(dict.fromkeys(preferred[:1] or [day for _, day in found.days]))


def _order_shown(seen: Iterable[DateFound]) -> DateOrder | None:
    """Return the order that a certain numeric date of the same receipt shows, when it shows one."""
    shown = {found.days[0][0] for found in seen if found.is_certain and not found.named}
    return shown.pop() if len(shown) == 1 else None


def _evidence(found: DateFound, row: Row) -> dict[str, float]:
    text = row.text
    before = letters(text[: found.start])
    evidence = {"printed": 1.0}
    if _LABEL.search(before):
        evidence["label"] = 2.0
    if _CLOCK.search(text[: found.start] + " " + text[found.end :]):
        evidence["time"] = 1.0
    if found.named or len(found.raw) >= 8:
        evidence["whole"] = 0.5
    if _OTHER_DAY.search(before):
        evidence[OTHER_DAY] = -3.0
    return evidence
