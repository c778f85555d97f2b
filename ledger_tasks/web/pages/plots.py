"""PURE. Hours come in; the bars of a plot go out, in the units of its drawing."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from ledger_tasks.storage.page_overview import Hour

WIDTH: Final = 480
HEIGHT: Final = 96
GAP: Final = 3
"""Units of the drawing: it is scaled to the page."""


class Part(NamedTuple):
    """One coloured part of a bar; `kind` is done, review or failed."""

    kind: str
    y: float
    height: float


class Bar(NamedTuple):
    """One hour: its place, its parts from the bottom up, and its words for a reader and a screen reader."""

    x: float
    width: float
    parts: tuple[Part, ...]
    title: str
    hour: str


class Plot(NamedTuple):
    """A plot of bars, and what it says in one sentence."""

    bars: tuple[Bar, ...]
    top: int
    summary: str


def throughput(hours: Sequence[Hour]) -> Plot:
    """Return what ended hour by hour."""
    top = max((hour.done + hour.review + hour.failed for hour in hours), default=0)
    step = WIDTH / max(len(hours), 1)
    bars = tuple(_bar(hour, number * step, step - GAP, HEIGHT / max(top, 1)) for number, hour in enumerate(hours))
    done, review, failed = (sum(getattr(hour, kind) for hour in hours) for kind in ("done", "review", "failed"))
    summary = f"In the last 24 hours {done} receipts were booked, {review} went to review, {failed} failed."
    return Plot(bars, top, summary)


def _bar(hour: Hour, x: float, width: float, scale: float) -> Bar:
    parts: list[Part] = []
    y = float(HEIGHT)
    for kind in ("done", "review", "failed"):
        height = getattr(hour, kind) * scale
        y -= height
        if height:
            parts.append(Part(kind, round(y, 2), round(height, 2)))
    title = f"{hour.at:%H}:00 UTC: {hour.done} booked, {hour.review} to review, {hour.failed} failed"
    return Bar(round(x, 2), round(width, 2), tuple(parts), title, f"{hour.at:%H}")
