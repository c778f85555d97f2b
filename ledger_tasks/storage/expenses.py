"""Bookings: which ones a receipt may own or resembles comes out; booked facts and their lines go in."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Any, Final

from sqlalchemy import ARRAY, BigInteger, Connection, Date, Numeric, Text, TextClause, bindparam, delete, select, text

from db.evidence import expense_items, expenses
from ledger_tasks.storage.rows import insert_new

MATCH_DAYS: Final = 3
"""A booking this many days from the receipt's date may still be it: cards are charged later, and over a weekend."""


ALIKE_BITS: Final = 72
"""Bits in which signatures of two photographs of one receipt differ at most, nine times of ten (counted on 360 pairs);
so do those of two receipts once in 500 (of 7140 pairs), most of them from one shop."""


@dataclass(frozen=True)
class Facts:
    """What makes a booking: all four are known."""

    merchant: str
    date: date
    currency: str
    total: Decimal


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


@dataclass(frozen=True)
class Line:
    """One line of a booking; `position` counts from 1."""

    position: int
    description: str
    quantity: str | None
    unit_price: str | None
    total: str | None
    code: str | None


@dataclass(frozen=True)
class Booking:
    """A receipt's booking as it should stand; `adopts` is the unowned booking that it takes over, if any."""

    source_sha256: str
    facts: Facts
    lines: Sequence[Line]
    adopts: int | None = None


_LIKENESS: Final = """
WITH wanted AS (
    SELECT source, budget.merchant_key(merchant) AS key, date, currency, total, time, number,
           ('x' || page)::bit(512) AS page
    FROM unnest(:sources, :merchants, :dates, :currencies, :totals, :times, :numbers, :pages)
        AS w (source, merchant, date, currency, total, time, number, page)
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

_ADOPT: Final = """
UPDATE budget.expenses SET source_sha256 = a.source
FROM unnest(:ids, :sources) AS a (id, source)
WHERE expenses.id = a.id AND expenses.source_sha256 IS NULL
"""

_BOOK: Final = """
INSERT INTO budget.expenses AS old (source_sha256, evidence_id, merchant, date, currency, total)
SELECT w.source, evidence.id, w.merchant, w.date, w.currency, w.total
FROM unnest(:sources, :merchants, :dates, :currencies, :totals) AS w (source, merchant, date, currency, total)
JOIN budget.receipt_evidence evidence ON evidence.source_sha256 = w.source
ON CONFLICT (source_sha256) DO UPDATE SET
    evidence_id = excluded.evidence_id, merchant = excluded.merchant, date = excluded.date,
    currency = excluded.currency, total = excluded.total,
    exported_at = CASE WHEN (old.merchant, old.date, old.currency, old.total)
                            = (excluded.merchant, excluded.date, excluded.currency, excluded.total)
                       THEN old.exported_at END
RETURNING id, source_sha256
"""


def likeness(connection: Connection, wanted: Mapping[str, Signs]) -> dict[str, Likeness]:
    """Return for each source hash and its signs what it meets. The caller holds the `lock` of these signs."""
    found: dict[str, dict[str, list[Any]]] = {source: {"own": [], "candidate": [], "twin": []} for source in wanted}
    if wanted:
        for row in connection.execute(_with_facts(_LIKENESS, "times", "numbers", "pages"), _looked_up(wanted)):
            found[row.source][row.kind].append(row.id if row.twin is None else row.twin)
    return {
        source: Likeness(next(iter(kinds["own"]), None), tuple(kinds["candidate"]), tuple(kinds["twin"]))
        for source, kinds in found.items()
    }


def booked_as(connection: Connection, source_sha256: str) -> int | None:
    """Return the number of the booking that a receipt owns."""
    found: int | None = connection.execute(
        select(expenses.c.id).where(expenses.c.source_sha256 == source_sha256)
    ).scalar()
    return found


def book(connection: Connection, bookings: Sequence[Booking]) -> None:
    """Make each booking stand as given: adopted, inserted or updated; an exported one that changed is to export again.

    The evidence of each source is already written.
    """
    if not bookings:
        return
    adopted = {each.adopts: each.source_sha256 for each in bookings if each.adopts is not None}
    if adopted:
        ids = bindparam("ids", type_=ARRAY(BigInteger)), bindparam("sources", type_=ARRAY(Text))
        connection.execute(text(_ADOPT).bindparams(*ids), {"ids": list(adopted), "sources": list(adopted.values())})
    facts = {each.source_sha256: each.facts for each in bookings}
    made = connection.execute(_with_facts(_BOOK), _arrays(facts))
    expense = {row.source_sha256: row.id for row in made}
    connection.execute(delete(expense_items).where(expense_items.c.expense_id.in_(expense.values())))
    lines = [{"expense_id": expense[each.source_sha256], **vars(line)} for each in bookings for line in each.lines]
    insert_new(connection, expense_items, lines)


@cache
def _with_facts(statement: str, *texts: str) -> TextClause:
    kinds = {"sources": Text, "merchants": Text, "dates": Date, "currencies": Text, "totals": Numeric}
    kinds |= dict.fromkeys(texts, Text)
    return text(statement).bindparams(*(bindparam(name, type_=ARRAY(kind)) for name, kind in kinds.items()))


def _arrays(facts: Mapping[str, Facts | Signs]) -> dict[str, Any]:
    each = facts.values()
    return {
        "sources": list(facts),
        "merchants": [one.merchant for one in each],
        "dates": [one.date for one in each],
        "currencies": [one.currency for one in each],
        "totals": [one.total for one in each],
    }


def _looked_up(signs: Mapping[str, Signs]) -> dict[str, Any]:
    each = signs.values()
    return _arrays(signs) | {
        "times": [one.time for one in each],
        "numbers": [one.number for one in each],
        "pages": [one.page for one in each],
        "days": MATCH_DAYS,
        "alike": ALIKE_BITS,
    }
