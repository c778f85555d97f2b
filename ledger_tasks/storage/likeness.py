"""What receipts are known again by goes in; the bookings that each may own, and the receipts like it, come out."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Final

from sqlalchemy import Connection, text

from ledger_tasks.storage.rows import one_json

MATCH_DAYS: Final = 3
"""A booking this many days from the receipt's date may still be it: cards are charged later, and over a weekend."""

ALIKE_BITS: Final = 72
"""Bits in which signatures of two photographs of one receipt differ at most, nine times of ten (counted on 360 pairs);
so do those of two receipts once in 500 (of 7140 pairs), most of them from one shop."""


@dataclass(frozen=True)
class Signs:
    """What a receipt is known again by. `time` is HH:MM:SS, `page` the signature of its first page (hexadecimal)."""

    merchant: str | None
    date: date | None
    currency: str
    total: Decimal
    time: str | None = None
    number: str | None = None
    page: str | None = None

    @property
    def lock(self) -> str:
        """Return the lock under which receipts of one currency and total look for their booking and for each other."""
        return f"booking:{self.currency}:{self.total.normalize()}"


@dataclass(frozen=True)
class Likeness:
    """What a receipt with given signs meets: its own booking, unowned bookings it may be, receipts like it."""

    own: int | None = None
    candidates: tuple[int, ...] = ()
    twins: tuple[str, ...] = ()


def likeness(connection: Connection, wanted: Mapping[str, Signs]) -> dict[str, Likeness]:
    """Return for each source hash and its signs what it meets. The caller holds the `lock` of these signs."""
    found: dict[str, dict[str, list[Any]]] = {source: {"own": [], "candidate": [], "twin": []} for source in wanted}
    if wanted:
        rows = one_json([{"source": source, **vars(signs)} for source, signs in wanted.items()])
        for row in connection.execute(text(_LIKENESS), {"rows": rows, "days": MATCH_DAYS, "alike": ALIKE_BITS}):
            found[row.source][row.kind].append(row.id if row.twin is None else row.twin)
    return {
        source: Likeness(next(iter(kinds["own"]), None), tuple(kinds["candidate"]), tuple(kinds["twin"]))
        for source, kinds in found.items()
    }


_LIKENESS: Final = """
WITH wanted AS (
    SELECT source, budget.merchant_key(merchant) AS key, date, currency, total, time, number,
           ('x' || page)::bit(512) AS page
    FROM jsonb_to_recordset(CAST(:rows AS jsonb))
        AS w (source text, merchant text, date date, currency text, total numeric, time text, number text, page text)
), alike AS (
    SELECT w.source, other.source_sha256 AS twin
    FROM wanted w
    JOIN budget.receipt_evidence other
      ON other.currency = w.currency AND other.total = w.total AND other.transaction_date = w.date
     AND (other.merchant_key = w.key OR other.receipt_number = w.number OR other.transaction_time::text = w.time
          OR bit_count(('x' || other.page_signature)::bit(512) # w.page) <= :alike)
    UNION ALL
    SELECT w.source, other.source_sha256
    FROM wanted w
    JOIN budget.receipt_evidence other
      ON other.currency = w.currency AND other.total = w.total
     AND bit_count(('x' || other.page_signature)::bit(512) # w.page) <= :alike
    WHERE w.date IS NULL
)
SELECT 'own' AS kind, w.source, e.id, NULL AS twin
FROM wanted w JOIN budget.expenses e ON e.source_sha256 = w.source
UNION ALL
SELECT 'candidate', w.source, e.id, NULL
FROM wanted w JOIN budget.expenses e
  ON e.source_sha256 IS NULL AND e.currency = w.currency AND e.total = w.total
 AND e.date BETWEEN w.date - :days AND w.date + :days AND e.merchant_key = w.key
UNION ALL
SELECT 'twin', source, NULL, twin
FROM alike
WHERE twin <> source
AND NOT EXISTS (
    SELECT FROM budget.receipt_corrections copied
    WHERE copied.source_sha256 = twin AND copied.field = 'booking' AND copied.item = '' AND copied.value LIKE 'copy:%'
)
AND NOT EXISTS (
    SELECT FROM wanted w JOIN budget.expenses booked
      ON booked.source_sha256 = w.source AND booked.currency = w.currency AND booked.total = w.total
     AND booked.date = w.date AND booked.merchant_key = w.key
    WHERE w.source = alike.source
)
ORDER BY 1, 2, 3, 4
"""
"""A receipt whose facts are booked already is not suspected: the other came later. A copy makes nobody suspicious.

Of one receipt two photographs may spell the merchant differently; its number, its time of day, or where the page has
ink is then the same. One whose date could not be read may be a photograph of any receipt of that total.
"""
