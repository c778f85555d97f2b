"""One receipt for its page: a hash comes in; all that is known of it, said of it and done to it goes out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row, Table, select, text

from db.evidence import expense_items, expenses, receipt_corrections, receipt_evidence
from db.history import dead_letters, ocr_result_events, receipt_ocr_passes, receipt_ocr_runs
from db.receipts import publications, receipt_paths, receipt_processing_status, receipts
from ledger_tasks.storage.corrections import BOOKING, COPY

Rows = Sequence[Row[Any]]

SHOWN: Final = 200
"""Rows of one kind that a page shows at most: a receipt that was reprocessed for years stays readable."""


@dataclass(frozen=True)
class ReceiptPage:
    """Rows by table, columns as in the table; the newest of each kind first where there may be many."""

    receipt: Row[Any]
    paths: Rows
    status: Row[Any] | None
    publications: Rows
    evidence: Row[Any] | None
    corrections: Rows
    expense: Row[Any] | None
    items: Rows
    runs: Rows
    passes: Rows
    events: Rows
    requests: Rows
    dead_letters: Rows
    twins: Rows
    candidates: Rows

    @property
    def copy_of(self) -> str | None:
        """Return the hash of the receipt that this one is a copy of, as a person said."""
        said = (row.value or "" for row in self.corrections if row.field == BOOKING and not row.item)
        return next((value.removeprefix(COPY) for value in said if value.startswith(COPY)), None)


def load_receipt_page(connection: Connection, sha256: str) -> ReceiptPage | None:
    """Return everything about one receipt, None when nobody knows it."""
    receipt = _one(connection, receipts, sha256)
    if receipt is None:
        return None
    evidence = _one(connection, receipt_evidence, sha256)
    reasons = evidence.review_reasons if evidence else []
    expense = _one(connection, expenses, sha256)
    return ReceiptPage(
        receipt=receipt,
        paths=_rows(connection, receipt_paths, sha256, "seen_at"),
        status=_one(connection, receipt_processing_status, sha256),
        publications=_rows(connection, publications, sha256, "planned_at"),
        evidence=evidence,
        corrections=_rows(connection, receipt_corrections, sha256, "corrected_at"),
        expense=expense,
        items=_items(connection, expense.id) if expense else [],
        runs=_rows(connection, receipt_ocr_runs, sha256, "collected_at"),
        passes=_rows(connection, receipt_ocr_passes, sha256, "run_uuid", "pass_id"),
        events=_rows(connection, ocr_result_events, sha256, "collected_at"),
        requests=connection.execute(text(_REQUESTS), {"sha256": sha256, "shown": SHOWN}).all(),
        dead_letters=_rows(connection, dead_letters, sha256, "dead_at"),
        twins=connection.execute(text(_TWINS), {"sha256": sha256}).all(),
        candidates=connection.execute(text(_CANDIDATES), {"sha256": sha256}).all()
        if "EXPENSE_AMBIGUOUS" in reasons
        else [],
    )


def path_of(connection: Connection, sha256: str) -> list[str]:
    """Return the paths at which a receipt may lie, the one seen last first."""
    rows = _rows(connection, receipt_paths, sha256, "seen_at")
    return [row.source_reference for row in rows]


def _one(connection: Connection, table: Table, sha256: str) -> Row[Any] | None:
    return connection.execute(select(table).where(table.c.source_sha256 == sha256)).one_or_none()


def _rows(connection: Connection, table: Table, sha256: str, *order: str) -> Rows:
    newest_first = [table.c[name].desc() for name in order]
    found = select(table).where(table.c.source_sha256 == sha256).order_by(*newest_first).limit(SHOWN)
    return connection.execute(found).all()


def _items(connection: Connection, expense_id: int) -> Rows:
    mine = select(expense_items).where(expense_items.c.expense_id == expense_id)
    return connection.execute(mine.order_by(expense_items.c.position)).all()


_REQUESTS: Final = """
SELECT * FROM (
    SELECT 'reprocess' AS kind, * FROM budget.receipt_reprocess_requests
    UNION ALL
    SELECT 'cache rebuild', * FROM budget.receipt_cache_requests
) AS request
WHERE source_sha256 = :sha256 ORDER BY created_at DESC LIMIT :shown
"""

_TWINS: Final = """
SELECT other.source_sha256, other.source_reference, other.merchant, other.transaction_date, other.currency, other.total
FROM budget.receipt_evidence me
JOIN budget.receipt_evidence other ON other.source_sha256 = ANY(me.possible_duplicate_of)
WHERE me.source_sha256 = :sha256 ORDER BY other.id LIMIT 20
"""

_CANDIDATES: Final = """
SELECT expense.id, expense.merchant, expense.date, expense.currency, expense.total
FROM budget.receipt_evidence me
JOIN budget.expenses expense
  ON expense.source_sha256 IS NULL AND expense.currency = me.currency AND expense.total = me.total
 AND expense.date BETWEEN me.transaction_date - 3 AND me.transaction_date + 3 AND expense.merchant_key = me.merchant_key
WHERE me.source_sha256 = :sha256 ORDER BY expense.date LIMIT 20
"""
