"""Series of points come in, one SVG picture with axes and names goes out."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDE, TALL, MARGIN = 800, 360, 60
COLOURS = ("#3465a4", "#c17d11", "#4e9a06", "#a40000")
STEPS = 5


@dataclass(frozen=True)
class Series:
    """A name and its points (x, y), both from zero up."""

    name: str
    points: Sequence[tuple[float, float]]


def svg(title: str, across: str, up: str, series: Sequence[Series]) -> str:
    """Draw each series as a line; both axes begin at zero."""
    most_x = max(x for each in series for x, _ in each.points) or 1
    most_y = max(y for each in series for _, y in each.points) * 1.1 or 1
    drawn = "".join(_line(each, place, most_x, most_y) for place, each in enumerate(series))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE + 2 * MARGIN} {TALL + 2 * MARGIN}" '
        f'font-family="sans-serif" font-size="13"><rect width="100%" height="100%" fill="white"/>'
        f'<text x="{MARGIN}" y="24" font-size="16">{escape(title)}</text>'
        f"{''.join(_marks(step / STEPS, most_x, most_y) for step in range(STEPS + 1))}"
        f'<text x="{MARGIN + WIDE}" y="{MARGIN + TALL + 40}" text-anchor="end">{escape(across)}</text>'
        f'<text x="8" y="{MARGIN - 10}">{escape(up)}</text>{drawn}</svg>\n'
    )


def _marks(part: float, most_x: float, most_y: float) -> str:
    x, y = MARGIN + part * WIDE, MARGIN + (1 - part) * TALL
    return (
        f'<line x1="{MARGIN}" y1="{y:.1f}" x2="{MARGIN + WIDE}" y2="{y:.1f}" stroke="#ddd"/>'
        f'<text x="{MARGIN - 6}" y="{y + 4:.1f}" text-anchor="end">{part * most_y:.0f}</text>'
        f'<text x="{x:.1f}" y="{MARGIN + TALL + 20}" text-anchor="middle">{part * most_x:.0f}</text>'
    )


def _line(series: Series, place: int, most_x: float, most_y: float) -> str:
    colour, lower = COLOURS[place % len(COLOURS)], MARGIN + TALL // 2 + 18 * place
    points = " ".join(
        f"{MARGIN + x / most_x * WIDE:.1f},{MARGIN + (1 - y / most_y) * TALL:.1f}" for x, y in series.points
    )
    return (
        f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
        f'<text x="{MARGIN + WIDE - 130}" y="{lower}" fill="{colour}">{escape(series.name)}</text>'
    )
