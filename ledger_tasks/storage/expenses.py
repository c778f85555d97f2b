"""Bookings: booked facts and their lines go in; which one a receipt owns comes out."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

from sqlalchemy import ARRAY, BigInteger, Connection, Text, bindparam, delete, select, text

from db.evidence import expense_items, expenses
from ledger_tasks.storage.rows import insert_new, one_json


@dataclass(frozen=True)
class Facts:
    """What makes a booking: all four are known."""

    merchant: str
    date: date
    currency: str
    total: Decimal


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


_ADOPT: Final = """
UPDATE budget.expenses SET source_sha256 = a.source
FROM unnest(:ids, :sources) AS a (id, source)
WHERE expenses.id = a.id AND expenses.source_sha256 IS NULL
"""

_BOOK: Final = """
INSERT INTO budget.expenses AS old (source_sha256, evidence_id, merchant, date, currency, total)
SELECT w.source, evidence.id, w.merchant, w.date, w.currency, w.total
FROM jsonb_to_recordset(CAST(:rows AS jsonb))
    AS w (source text, merchant text, date date, currency text, total numeric)
JOIN budget.receipt_evidence evidence ON evidence.source_sha256 = w.source
ON CONFLICT (source_sha256) DO UPDATE SET
    evidence_id = excluded.evidence_id, merchant = excluded.merchant, date = excluded.date,
    currency = excluded.currency, total = excluded.total,
    exported_at = CASE WHEN (old.merchant, old.date, old.currency, old.total)
                            = (excluded.merchant, excluded.date, excluded.currency, excluded.total)
                       THEN old.exported_at END
RETURNING id, source_sha256
"""


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
    wanted = [{"source": each.source_sha256, **vars(each.facts)} for each in bookings]
    made = connection.execute(text(_BOOK), {"rows": one_json(wanted)})
    expense = {row.source_sha256: row.id for row in made}
    connection.execute(delete(expense_items).where(expense_items.c.expense_id.in_(expense.values())))
    lines = [{"expense_id": expense[each.source_sha256], **vars(line)} for each in bookings for line in each.lines]
    insert_new(connection, {expense_items: lines})
