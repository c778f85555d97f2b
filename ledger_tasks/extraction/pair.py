"""Rows of a document come in; whether two receipts lie on one of its pages goes out.

A page is cut where no text stands: across, where rows leave a gap, and down, where no line crosses. When both parts
have a date and a confirmed total of their own, and not the same ones (a copy, or the slip of the card), there are two.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from statistics import median
from typing import Final

from ledger_tasks.extraction.dating import dated
from ledger_tasks.extraction.labels import Role
from ledger_tasks.extraction.lines import Line, Row, rows
from ledger_tasks.extraction.priced import Priced, priced
from ledger_tasks.extraction.refunds import due

LINES_LEAST: Final = 6
"""Lines of the smallest receipt."""

LINES_MOST: Final = 500
"""Lines of the largest page on which two may lie; a fuller one is a statement."""

CUTS: Final = 4
"""Gaps that are tried, the widest first, in each direction."""

WITNESSES: Final = 2

Facts = tuple[date, Decimal]


def two_receipts(seen: Sequence[Row], amounts: Sequence[Priced], today: date) -> bool:
    """Say whether one page holds two."""
    if sum(each.role is Role.TOTAL for each in amounts) < 2:
        return False
    return any(_two(first, second, today) for page in _pages(seen) for first, second in (*_across(page), *_down(page)))


def _pages(seen: Sequence[Row]) -> Iterator[list[Line]]:
    for page in {row.page for row in seen}:
        lines = [line for row in seen if row.page == page for line in row.lines]
        if len(lines) <= LINES_MOST:
            yield lines


def _two(first: Sequence[Line], second: Sequence[Line], today: date) -> bool:
    if min(len(first), len(second)) < LINES_LEAST:
        return False
    one, other = _facts(first, today), _facts(second, today)
    return one is not None and other is not None and one != other


def _facts(lines: Sequence[Line], today: date) -> Facts | None:
    """Return day and total of a part that could be a receipt of its own."""
    part = rows(lines)
    found, when = due(part, priced(part)), dated(part, today, None)
    if found is None or when is None or "label" not in found.confirmed_by or len(found.confirmed_by) <= WITNESSES:
        return None
    return when.candidates[0], found.chosen.value


def _across(page: Sequence[Line]) -> Iterator[tuple[list[Line], list[Line]]]:
    """Cut between rows."""
    yield from _cut(page, 1, median(line.height for line in page))


def _down(page: Sequence[Line]) -> Iterator[tuple[list[Line], list[Line]]]:
    """Cut between columns."""
    yield from _cut(page, 0, median(line.height for line in page))


def _cut(page: Sequence[Line], side: int, height: float) -> Iterator[tuple[list[Line], list[Line]]]:
    """Yield both parts of each of the widest gaps; `side` 0 cuts between left and right, 1 between top and bottom."""
    ordered = sorted(page, key=lambda line: line.box[side])
    reach, gaps = ordered[0].box[side + 2], []
    for place, line in enumerate(ordered):
        if line.box[side] - reach > height / 2:
            gaps.append((line.box[side] - reach, place))
        reach = max(reach, line.box[side + 2])
    for _, place in sorted(gaps, reverse=True)[:CUTS]:
        yield ordered[:place], ordered[place:]
