"""Bookings as they leave the house: those of a range of days come out with what was exported of them; marks go in."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

from sqlalchemy import ARRAY, BigInteger, Connection, Date, Text, bindparam, text

from db.exports import expense_exports
from ledger_tasks.storage.rows import replace

PAGE: Final = 1000
"""Bookings that are remembered in one statement."""


@dataclass(frozen=True)
class Exportable:
    """A booking: `said` is the whole of it in JSON, amounts as exact text; `before` what the last export said."""

    expense_id: int
    business_key: str
    said: dict[str, Any]
    before: dict[str, Any] | None


@dataclass(frozen=True)
class Left:
    """A booking that was exported within the range and is not in it now; `now`: the date that it has, if any."""

    business_key: str
    before: dict[str, Any]
    now: str | None


def exportable(connection: Connection, since: date | None, until: date | None) -> list[Exportable]:
    """Return the bookings from `since` to `until`, both included, by date and business key."""
    return [Exportable(**row._mapping) for row in connection.execute(_days(_BOOKED), _range(since, until))]  # noqa: SLF001


def left(connection: Connection, since: date | None, until: date | None) -> list[Left]:
    """Return what the last export of these days held and the next one will not."""
    return [Left(**row._mapping) for row in connection.execute(_days(_LEFT), _range(since, until))]  # noqa: SLF001


def mark(connection: Connection, exported: Sequence[Exportable], gone: Sequence[Left], at: datetime) -> None:
    """Remember what was exported now and forget what is gone; a booking that was told as it is keeps its moment.

    Raises Infrastructure when one of them was changed since the snapshot was taken.
    """
    ids = bindparam("ids", type_=ARRAY(BigInteger))
    keys = bindparam("keys", type_=ARRAY(Text))
    fresh = [each for each in exported if each.said != each.before]
    connection.execute(text(_MARK).bindparams(ids), {"ids": [each.expense_id for each in exported], "at": at})
    renamed = [f"booking:{each.expense_id}" for each in fresh if not each.business_key.startswith("booking:")]
    lost = [each.business_key for each in gone if each.now is None]
    connection.execute(text(_FORGET).bindparams(keys), {"keys": [*renamed, *lost]})
    rows = [{"business_key": each.business_key, "booking": each.said, "exported_at": at} for each in fresh]
    for start in range(0, len(rows), PAGE):
        replace(connection, expense_exports, rows[start : start + PAGE])


_KEY: Final = "coalesce(expense.source_sha256, 'booking:' || expense.id)"

_LINES: Final = """
SELECT expense_id, jsonb_agg(jsonb_build_object(
    'position', position, 'description', description, 'quantity', quantity::text,
    'unit_price', unit_price::text, 'total', total::text, 'code', code
) ORDER BY position) AS items FROM budget.expense_items GROUP BY expense_id
"""

_BOOKED: Final = f"""
SELECT expense.id AS expense_id, {_KEY} AS business_key, jsonb_build_object(
    'business_key', {_KEY}, 'date', expense.date, 'merchant', expense.merchant, 'currency', expense.currency,
    'total', expense.total::text, 'category', expense.category, 'receipt', evidence.source_reference,
    'items', coalesce(lines.items, '[]')
) AS said, coalesce(as_owned.booking, as_unowned.booking) AS before
FROM budget.expenses AS expense
LEFT JOIN ({_LINES}) AS lines ON lines.expense_id = expense.id
LEFT JOIN budget.receipt_evidence AS evidence ON evidence.source_sha256 = expense.source_sha256
LEFT JOIN budget.expense_exports AS as_owned ON as_owned.business_key = expense.source_sha256
LEFT JOIN budget.expense_exports AS as_unowned ON as_unowned.business_key = 'booking:' || expense.id
WHERE (:since IS NULL OR expense.date >= :since) AND (:until IS NULL OR expense.date <= :until)
ORDER BY expense.date, 2
"""  # noqa: S608 (only parts of this module)
"""A booking that a receipt has taken over since its last export is still the same booking."""

_LEFT: Final = """
SELECT exported.business_key, exported.booking AS before, present.date::text AS now
FROM budget.expense_exports AS exported
LEFT JOIN budget.expenses AS owned ON owned.source_sha256 = exported.business_key
LEFT JOIN budget.expenses AS unowned ON 'booking:' || unowned.id = exported.business_key
CROSS JOIN LATERAL (SELECT coalesce(owned.date, unowned.date) AS date) AS present
WHERE (:since IS NULL OR (exported.booking->>'date')::date >= :since)
  AND (:until IS NULL OR (exported.booking->>'date')::date <= :until)
  AND (present.date IS NULL OR present.date < :since OR present.date > :until)
ORDER BY 1
"""

_MARK: Final = "UPDATE budget.expenses SET exported_at = :at WHERE id = ANY(:ids) AND exported_at IS NULL"

_FORGET: Final = "DELETE FROM budget.expense_exports WHERE business_key = ANY(:keys)"


def _days(statement: str) -> Any:
    return text(statement).bindparams(*(bindparam(name, type_=Date) for name in ("since", "until")))


def _range(since: date | None, until: date | None) -> dict[str, date | None]:
    return {"since": since, "until": until}
