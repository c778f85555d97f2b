"""A value with the row it stands in comes in; a field of the contract, with evidence and status, goes out."""

from collections.abc import Iterable
from typing import Final, TypeVar

from contracts.receipts.receipt import Extracted
from ledger_tasks.extraction.lines import Row
from ledger_tasks.extraction.money import plain
from ledger_tasks.extraction.priced import Priced

T = TypeVar("T")

MAX_RAW: Final = 1000
"""Characters of a raw text in the contract."""

RULE: Final = "rule"


def field(
    value: T,
    raw: str,
    row: Row,
    source: str,
    confidence: float,
    *,
    alternatives: Iterable[T] = (),
    ambiguous: bool = False,
) -> Extracted[T]:
    """Return a field that stands in a row; ambiguous, it has alternatives and its value is only the likeliest."""
    return Extracted(
        value=value,
        raw=raw[:MAX_RAW],
        confidence=round(confidence, 4),
        source=source,
        page=row.page,
        box=row.box,
        alternatives=tuple(alternatives),
        status="ambiguous" if ambiguous else "ok",
    )


def open_field(candidates: Iterable[T], raw: str, row: Row, source: str) -> Extracted[T]:
    """Return a field whose value is left open between candidates."""
    return Extracted(
        value=None,
        raw=raw[:MAX_RAW],
        confidence=0.0,
        source=source,
        page=row.page,
        box=row.box,
        alternatives=tuple(candidates),
        status="ambiguous",
    )


def by_rule(
    value: T, raw: str, confidence: float, *, alternatives: Iterable[T] = (), source: str = RULE
) -> Extracted[T]:
    """Return a field that follows from other text of the receipt or from what earlier receipts taught."""
    others = tuple(alternatives)
    return Extracted(
        value=value,
        raw=raw[:MAX_RAW] or None,
        confidence=confidence,
        source=source,
        alternatives=others,
        status="ambiguous" if others else "ok",
    )


def money(found: Priced | None, source: str) -> Extracted[str]:
    """Return an amount as a field, or a missing one."""
    if found is None:
        return Extracted(value=None)
    return field(plain(found.value), found.printed, found.row, source, found.row.confidence)
