"""Amounts with their rows come in; tax lines (rate, base, tax) whose arithmetic holds go out."""

import re
from collections.abc import Sequence
from decimal import Decimal
from itertools import permutations
from typing import Final

from contracts.receipts.receipt import TaxLine
from ledger_tasks.extraction.money import plain
from ledger_tasks.extraction.priced import Priced

MAX_TAX_LINES: Final = 20
TOLERANCE: Final = Decimal("0.02")
"""Rounding of a base and of its tax."""

_RATE: Final = re.compile(r"(?<![\d.,])(\d{1,2}(?:[.,]\d{1,2})?) ?%")


def tax_lines(found: Sequence[Priced]) -> tuple[TaxLine, ...]:
    """Return each row in which a printed rate times one amount gives another."""
    rows: dict[int, list[Priced]] = {}
    for each in found:
        rows.setdefault(each.index, []).append(each)
    lines = [line for row in rows.values() if (line := _line(row))]
    return tuple(dict.fromkeys(lines))[:MAX_TAX_LINES]


def _line(row: Sequence[Priced]) -> TaxLine | None:
    printed = _RATE.search(row[0].row.text)
    if not printed:
        return None
    rate = Decimal(printed[1].replace(",", "."))
    values = [each.value for each in row if each.amount.raw != printed[1]]
    for base, tax in permutations(values, 2):
        if rate and base > tax and abs(base * rate / 100 - tax) <= TOLERANCE:
            return TaxLine(rate=plain(rate), base=plain(base), amount=plain(tax))
    return None
