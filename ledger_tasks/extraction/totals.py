"""Rows of a receipt come in; the amount that was due, with its evidence and its rivals, goes out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from ledger_tasks.extraction.lines import Row
from ledger_tasks.extraction.money import Amount, amounts

_TOTAL: Final = re.compile(
    r"(?i)\b(?:grand |nett? |round(?:ed|ing)? )?t[o0]tal\b|\bamount due\b|\bbalance due\b|\bsumme\b|\bgesamt\w*"
    r"|\bzu zahlen\b|\bnet à payer\b|\bmontant\b|\bimporte\b|\bитого?\b|\bвсего\b|\bк оплате\b|\bendbetrag\b"
)
_NOT_TOTAL: Final = re.compile(
    r"(?i)sub ?-?t[o0]tal|total (?:qty|item|gst|tax|discount|sav|quantity)|t[o0]tal excl|excl|zwischensumme|sous-total"
    r"|подытог|total tax|item count|points?\b"
)


@dataclass(frozen=True, slots=True)
class TotalFound:
    """The chosen amount, the row it stands in, how sure we are, and the other amounts that it might be."""

    amount: Amount
    row: Row
    confidence: float
    others: tuple[Decimal, ...]


def total(rows: Sequence[Row]) -> TotalFound | None:
    """Choose the total."""
    candidates: list[tuple[float, Amount, Row]] = []
    seen: dict[Decimal, int] = {}
    for row in rows:
        for found in amounts(row.text):
            if found.is_price:
                seen[found.value] = seen.get(found.value, 0) + 1
    for index, row in enumerate(rows):
        if not _TOTAL.search(row.text) or _NOT_TOTAL.search(row.text):
            continue
        near = [row, *rows[index + 1 : index + 2]]
        for place in near:
            prices = [found for found in amounts(place.text) if found.is_price]
            if prices:
                candidates.append((seen[prices[-1].value] + index / len(rows), prices[-1], place))
                break
    if not candidates:
        return None
    _, best, row = max(candidates, key=lambda each: each[0])
    others = {found.value for _, found, _ in candidates} - {best.value}
    return TotalFound(best, row, 0.9 if not others else 0.6, tuple(sorted(others)))
