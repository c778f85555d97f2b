"""Recognized lines with boxes come in; visual rows, read left to right and top to bottom, go out."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import linear_regression, median
from typing import Final

from contracts.receipts.receipt import Box

MAX_ROW: Final = 500
"""Characters of a row that are looked at; a till prints 48."""

LONG: Final = 3.0
"""Width over height from which the slope of a line is known well."""

STRAY: Final = 0.1
"""Slope by which a line differs from the page's when it is a stamp, a logo or a mistake."""

SLOPES_LEAST: Final = 6
"""Long lines from which it can be told that the slope changes down the page."""


@dataclass(frozen=True, slots=True)
class Line:
    """One piece of text as an engine found it; the box is in pixels of its page, confidence is 0..1.

    `slope` is how far the text sinks per pixel to the right.
    """

    text: str
    confidence: float
    box: Box
    page: int = 1
    slope: float = 0.0

    @property
    def height(self) -> int:
        """Return the height in pixels."""
        return self.box[3] - self.box[1]

    @property
    def width(self) -> int:
        """Return the width in pixels."""
        return self.box[2] - self.box[0]

    @property
    def centre(self) -> float:
        """Return the horizontal centre."""
        return (self.box[0] + self.box[2]) / 2

    @property
    def middle(self) -> float:
        """Return the vertical centre."""
        return (self.box[1] + self.box[3]) / 2


@dataclass(frozen=True, slots=True)
class Row:
    """Lines that stand beside each other on the paper, from left to right."""

    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        """Return the whole row, parts separated by two spaces, as columns are."""
        return "  ".join(line.text for line in self.lines)[:MAX_ROW]

    @property
    def page(self) -> int:
        """Return the page number."""
        return self.lines[0].page

    @property
    def box(self) -> Box:
        """Return the box around all parts."""
        return around(self.lines)

    @property
    def confidence(self) -> float:
        """Return the confidence of the weakest part."""
        return min(line.confidence for line in self.lines)

    @property
    def middle(self) -> float:
        """Return the vertical centre."""
        return (self.box[1] + self.box[3]) / 2


def around(lines: Iterable[Line]) -> Box:
    """Return the smallest box that holds all lines."""
    boxes = [line.box for line in lines]
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )


def rows(lines: Iterable[Line]) -> tuple[Row, ...]:
    """Group lines of all pages into rows, page by page, top to bottom."""
    by_page: dict[int, list[Line]] = {}
    for line in lines:
        by_page.setdefault(line.page, []).append(line)
    return tuple(row for page in sorted(by_page) for row in _rows_of_page(by_page[page]))


def _rows_of_page(lines: list[Line]) -> list[Row]:
    """Chain neighbours: a line joins the row whose nearest part to its left stands at its level.

    Comparing with the nearest part, not with the whole row, follows paper that is not flat.
    Rows are found by the band of their last part, so that a page of thousands of lines stays cheap.
    """
    placed = _placed(lines)
    band = max(2 * median(each.upright for each in placed), 1.0)
    reach = max(each.upright for each in placed)
    bands: dict[int, list[list[_Placed]]] = {}
    for each in sorted(placed, key=lambda one: (one.line.box[0], one.line.middle)):
        first, last = (int((each.level + side * reach) // band) for side in (-1, 1))
        near = (row for number in range(first, last + 1) for row in bands.get(number, ()))
        best = min(
            (row for row in near if _beside(row[-1], each)),
            key=lambda row: abs(row[-1].level - each.level),
            default=None,
        )
        if best is not None:
            bands[int(best[-1].level // band)].remove(best)
        row = [*(best or ()), each]
        bands.setdefault(int(each.level // band), []).append(row)
    found = sorted((row for rows in bands.values() for row in rows), key=lambda row: median(each.level for each in row))
    return [Row(tuple(each.line for each in row)) for row in found]


@dataclass(frozen=True, slots=True)
class _Placed:
    """A line, the height at which its baseline would cross the middle of the page, and its height without slope."""

    line: Line
    level: float
    upright: float


def _placed(lines: Sequence[Line]) -> list[_Placed]:
    """Lay a page straight. Seen at an angle it sinks more at one end than at the other: linear over the height."""
    long = [line for line in lines if line.width > LONG * line.height]
    usual = median(line.slope for line in long) if long else 0.0
    long = [line for line in long if abs(line.slope - usual) < STRAY]
    growth, start = 0.0, usual
    if len(long) >= SLOPES_LEAST and len({line.middle for line in long}) > 1:
        growth, start = linear_regression([line.middle for line in long], [line.slope for line in long])
    centre = median(line.centre for line in lines)
    return [
        _Placed(
            line,
            line.middle - (start + growth * line.middle) * (line.centre - centre),
            max(line.height - abs(line.slope) * line.width, line.height / 3),
        )
        for line in lines
    ]


def _beside(left: _Placed, right: _Placed) -> bool:
    small = min(left.upright, right.upright)
    overlap = min(small, (left.upright + right.upright) / 2 - abs(left.level - right.level))
    return overlap > 0.5 * small and right.line.box[0] >= left.line.box[2] - small
