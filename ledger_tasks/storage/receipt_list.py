"""Receipts for the command line: a path, a hash or its beginning comes in, or a filter; rows in brief go out."""

from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from sqlalchemy import Connection, text


@dataclass(frozen=True)
class ListedReceipt:
    """One line of a list: `total` is a decimal number; `status` is `queued` or `new` until something is finished."""

    source_sha256: str
    source_reference: str
    status: str
    merchant: str | None
    date: date | None
    currency: str | None
    total: str | None
    reasons: list[str]
    error_code: str | None


def list_receipts(
    connection: Connection,
    *,
    limit: int,
    status: str | None = None,
    search: str | None = None,
    oldest_first: bool = False,
) -> list[ListedReceipt]:
    """Return at most `limit` receipts; `search` is part of a path, a merchant or the text.

    The newest come first: by when they were found, or with a status by when they came to stand there.
    """
    stored = status is not None and status not in _DERIVED
    filters = ["stands.status = :status" if stored else f"{_STATUS} = :status"] if status else []
    if search:
        filters.append(_MATCHES)
    since = "stands.updated_at" if stored else "r.first_seen_at"
    order = f"{since} {'ASC' if oldest_first else 'DESC'}, r.source_sha256"
    query = f"{_LISTED} WHERE {' AND '.join(filters or ['true'])} ORDER BY {order} LIMIT :limit"
    pattern = "%" + (search or "").replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") + "%"
    return _rows(connection, query, status=status, pattern=pattern, limit=limit)


def listed_receipt(connection: Connection, source_sha256: str) -> ListedReceipt | None:
    """Return one receipt, None when `ingest` does not know it."""
    return next(iter(_rows(connection, f"{_LISTED} WHERE r.source_sha256 = :source", source=source_sha256)), None)


def hash_at(connection: Connection, source_reference: str) -> str | None:
    """Return the hash that lies at a path now, as far as we know."""
    found: str | None = connection.execute(
        text("SELECT source_sha256 FROM ingest.receipt_paths WHERE source_reference = :path"),
        {"path": source_reference},
    ).scalar()
    return found


def hashes_beginning(connection: Connection, prefix: str) -> list[str]:
    """Return the hashes that begin so, two at most: one is an answer, two are a question."""
    found = connection.execute(
        text("SELECT source_sha256 FROM ingest.receipts WHERE source_sha256 LIKE :prefix ORDER BY 1 LIMIT 2"),
        {"prefix": f"{prefix}%"},
    )
    return list(found.scalars())


_STATUS: Final = """
coalesce(stands.status, CASE WHEN letter.code IS NOT NULL THEN 'failed' WHEN lease.open THEN 'queued' ELSE 'new' END)
"""
"""What is stored; without it a dead letter, a lease or nothing says where the receipt is."""

_DERIVED: Final = {"new", "queued", "failed"}

_LISTED: Final = f"""
SELECT r.source_sha256, r.source_reference, {_STATUS},
       e.merchant, e.transaction_date, e.currency, e.fields->'total'->>'value',
       coalesce(e.review_reasons, '{{}}'), coalesce(stands.last_error_code, letter.code)
FROM ingest.receipts r
LEFT JOIN ingest.receipt_processing_status stands USING (source_sha256)
LEFT JOIN budget.receipt_evidence e USING (source_sha256)
LEFT JOIN LATERAL (
    SELECT true AS open FROM ingest.publications p
    WHERE p.source_sha256 = r.source_sha256 AND p.state <> 'ended' LIMIT 1
) lease ON stands.status IS NULL
LEFT JOIN LATERAL (
    SELECT d.code FROM budget.dead_letters d
    WHERE d.source_sha256 = r.source_sha256 AND d.state IN ('open', 'replaying') ORDER BY d.dead_at DESC LIMIT 1
) letter ON stands.status IS NULL
"""  # noqa: S608 (constants of this file)

_MATCHES: Final = "(r.source_reference ILIKE :pattern OR e.merchant ILIKE :pattern OR e.raw_text ILIKE :pattern)"


def _rows(connection: Connection, query: str, **values: Any) -> list[ListedReceipt]:
    return [ListedReceipt(*row) for row in connection.execute(text(query), values)]
