"""Where receipts stand (schema `ingest`): which are known, which ended how; and the end of their leases."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import ARRAY, Connection, Text, any_, bindparam, select, text

from db.receipts import receipt_paths, receipt_processing_status, receipts
from ledger_tasks.storage.rows import insert_new, one_json, replace

PATH_BYTES: Final = 2600
"""Longest path that an index row of PostgreSQL surely takes (2704 bytes with its header)."""


@dataclass(frozen=True)
class Seen:
    """A hash under a path, met at a time."""

    source_sha256: str
    source_reference: str
    at: datetime


@dataclass(frozen=True)
class Ended:
    """One row of `ingest.receipt_processing_status` for a receipt that was finished or failed."""

    source_sha256: str
    status: str
    attempts: int
    updated_at: datetime
    completed_at: datetime | None = None
    terminal: bool = False
    last_error: str | None = None
    last_error_code: str | None = None


@dataclass(frozen=True)
class LeaseEnd:
    """Which lease ends and why; `purpose` is the persistence mode of the work, `reason` completed or failed."""

    source_sha256: str
    purpose: str
    request_id: str | None
    reason: str
    at: datetime


_STATUSES: Final = (
    select(receipts.c.source_sha256, receipt_processing_status.c.status)
    .join_from(receipts, receipt_processing_status, isouter=True)
    .where(receipts.c.source_sha256 == any_(bindparam("sources", type_=ARRAY(Text))))
)


def statuses(connection: Connection, sources: Sequence[str]) -> dict[str, str | None]:
    """Return the status of each receipt that `ingest` knows; None when nothing was ever finished for it."""
    found = connection.execute(_STATUSES, {"sources": list(sources)})
    return {row.source_sha256: row.status for row in found}


def remember(connection: Connection, seen: Sequence[Seen]) -> None:
    """Make the receipts and paths known that are not; what discovery says about a path stays.

    A path too long for an index is kept with the receipt alone: it is found by its hash.
    """
    known = [
        {"source_sha256": one.source_sha256, "source_reference": one.source_reference, "first_seen_at": one.at}
        for one in seen
    ]
    paths = [
        {"source_reference": one.source_reference, "source_sha256": one.source_sha256, "seen_at": one.at}
        for one in seen
        if len(one.source_reference.encode()) <= PATH_BYTES
    ]
    insert_new(connection, {receipts: known, receipt_paths: paths})


def end(connection: Connection, rows: Sequence[Ended], *, keep: Sequence[str] = ()) -> None:
    """Write how receipts ended, but for the columns to keep. The caller holds their locks and has seen their status."""
    replace(connection, receipt_processing_status, [vars(row) for row in rows], keep=keep)


_END_LEASES: Final = text("""
WITH final AS (
    SELECT lease.source_sha256, lease.purpose, e.at, e.reason
    FROM ingest.publications AS lease
    JOIN jsonb_to_recordset(CAST(:ends AS jsonb))
         AS e (source_sha256 text, purpose text, request_id uuid, reason text, at timestamptz)
      ON lease.source_sha256 = e.source_sha256 AND lease.purpose = e.purpose AND lease.state <> 'ended'
     AND lease.request_id IS NOT DISTINCT FROM e.request_id
    ORDER BY lease.source_sha256, lease.purpose
    FOR UPDATE OF lease
)
UPDATE ingest.publications AS lease SET state = 'ended', ended_at = final.at, end_reason = final.reason
FROM final WHERE lease.source_sha256 = final.source_sha256 AND lease.purpose = final.purpose
""")
"""Locked by hash, as discovery locks them too, so that a scan and a collector never wait for each other."""


def end_leases(connection: Connection, ends: Sequence[LeaseEnd]) -> None:
    """End the open leases of these receipts and purposes; a refresh ends only the lease of its own request."""
    if ends:
        rows = one_json([vars(one) for one in ends])
        connection.execute(_END_LEASES, {"ends": rows})
