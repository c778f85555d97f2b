"""Recognized lines with boxes come in; visual rows, read left to right and top to bottom, go out."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from typing import Final

from contracts.receipts.receipt import Box

MAX_ROW: Final = 500
"""Characters of a row that are looked at; a till prints 48."""


@dataclass(frozen=True, slots=True)
class Line:
    """One piece of text as an engine found it; the box is in pixels of its page, confidence is 0..1."""

    text: str
    confidence: float
    box: Box
    page: int = 1

    @property
    def height(self) -> int:
        """Return the height in pixels."""
        return self.box[3] - self.box[1]

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
    """Chain neighbours: a line joins the row whose nearest part to its left or right stands at its height.

    Comparing with the nearest part, not with the whole row, follows a page that was scanned at a small angle.
    """
    groups: list[list[Line]] = []
    for line in sorted(lines, key=lambda each: (each.box[0], each.middle)):
        best = min(
            (group for group in groups if _beside(group[-1], line)),
            key=lambda group: abs(group[-1].middle - line.middle),
            default=None,
        )
        if best is None:
            groups.append([line])
        else:
            best.append(line)
    found = [Row(tuple(group)) for group in groups]
    return sorted(found, key=lambda row: median(line.middle for line in row.lines))


def _beside(left: Line, right: Line) -> bool:
    overlap = min(left.box[3], right.box[3]) - max(left.box[1], right.box[1])
    small = min(left.height, right.height)
    return overlap > 0.5 * small and right.box[0] >= left.box[2] - small
