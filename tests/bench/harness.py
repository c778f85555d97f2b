"""Measuring: two ways of doing one thing come in, run in turn (A B A B ...), and medians, ranges and ratios go out."""

import json
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Row:
    """One comparison. `ratio` is how it is compared (as `wanted` reads), `met` whether the target was reached."""

    id: str
    what: str
    ours: str
    reference: str
    ratio: float
    wanted: str
    met: bool


def alternate(rounds: int, *ways: Callable[[], float]) -> list[list[float]]:
    """Run each way in turn, `rounds` times, and return what each measured (seconds, or anything smaller-is-better)."""
    measured: list[list[float]] = [[] for _ in ways]
    for _ in range(rounds):
        for way, found in zip(ways, measured, strict=True):
            found.append(way())
    return measured


def seconds(work: Callable[[], object]) -> float:
    """Return how long it took."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def rate_row(
    id_: str, what: str, count: int, ours: Sequence[float], reference: Sequence[float], at_least: float
) -> Row:
    """Compare two lists of seconds for `count` things as a rate: ours over the reference."""
    ratio = statistics.median(reference) / statistics.median(ours)
    return Row(id_, what, rates(count, ours), rates(count, reference), ratio, f">= {at_least}", ratio >= at_least)


def time_row(id_: str, what: str, ours: Sequence[float], reference: Sequence[float], at_most: float) -> Row:
    """Compare two lists of seconds: ours over the reference."""
    ratio = statistics.median(ours) / statistics.median(reference)
    return Row(id_, what, spans(ours), spans(reference), ratio, f"<= {at_most}", ratio <= at_most)


def rates(count: int, found: Sequence[float]) -> str:
    """Say a median rate and its range."""
    digits = 0 if count / max(found) >= 10 else 2
    middle, least, most = (f"{count / each:.{digits}f}" for each in (statistics.median(found), max(found), min(found)))
    return f"{middle}/s ({least}..{most})"


def spans(found: Sequence[float]) -> str:
    """Say a median of seconds and its range."""
    return f"{statistics.median(found):.3f} s ({min(found):.3f}..{max(found):.3f})"


def report(rows: Sequence[Row], file: Path | None = None) -> None:
    """Print the table, a missed target included, and write the same as JSON."""
    table = Table("Id", "What", "Ours", "Reference", "Ratio", "Wanted", "")
    for row in rows:
        met = "met" if row.met else "MISSED"
        table.add_row(row.id, row.what, row.ours, row.reference, f"{row.ratio:.2f}", row.wanted, met)
    Console(width=160).print(table)
    document = json.dumps({"rows": [asdict(row) for row in rows]}, sort_keys=True)
    if file is not None:
        file.write_text(document + "\n")
    print(document)
