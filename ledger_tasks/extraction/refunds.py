"""Rows and amounts come in; the total with its sign, and whether the receipt is a refund, go out."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from contracts.receipts.receipt import Extracted, ReceiptType
from ledger_tasks.extraction.found import RULE, field
from ledger_tasks.extraction.lines import Row
from ledger_tasks.extraction.priced import Priced, turned
from ledger_tasks.extraction.totals import TotalFound, total

_REFUND: Final = re.compile(
    r"(?i)^\W*(?:refund|credit note|return receipt|gutschrift|retoure|r[üu]ckgabe|avoir|remboursement|abono|"
    r"devoluci[oó]n|возврат)\b.{0,20}$"
)


def due(seen: Sequence[Row], amounts: Sequence[Priced]) -> TotalFound | None:
    """Return the total; on a refund whose amounts are printed below zero, one below zero."""
    is_negative = sum(each.value < 0 for each in amounts) > len(amounts) / 2
    if not is_negative or not _title(seen):
        return total(amounts)
    found = total(turned(amounts))
    return replace(found, chosen=turned([found.chosen])[0], rivals=()) if found else None


def receipt_type(seen: Sequence[Row], found: TotalFound | None) -> Extracted[ReceiptType]:
    """Return refund where a row is titled so or the total is below zero, else purchase."""
    title = _title(seen)
    kind: ReceiptType = "refund" if title or (found and found.chosen.value < 0) else "purchase"
    if title:
        return field(kind, title.text, title, RULE, 0.95)
    return Extracted(value=kind, confidence=0.9, source=RULE, status="ok")


def _title(seen: Sequence[Row]) -> Row | None:
    return next((row for row in seen if _REFUND.search(row.text)), None)
