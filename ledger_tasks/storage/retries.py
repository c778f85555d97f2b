"""Trying a receipt again: where it stands comes out; the marks of its failure are taken away."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, text


@dataclass(frozen=True)
class Standing:
    """What decides about a retry; `status` is None while nothing was ever finished, `letters` are open dead letters."""

    source_reference: str
    status: str | None
    leased: bool
    letters: int


def standing(connection: Connection, source_sha256: str) -> Standing:
    """Return where a known receipt stands, at the path where it was seen last."""
    return Standing(*connection.execute(text(_STANDING), {"source": source_sha256}).one())


def forget_failure(connection: Connection, source_sha256: str) -> None:
    """Let a failed receipt be one that is being processed, with no attempt used; the caller holds its source lock."""
    connection.execute(text(_FORGET), {"source": source_sha256})


_STANDING: Final = """
SELECT coalesce(
           (SELECT source_reference FROM ingest.receipt_paths p WHERE p.source_sha256 = r.source_sha256
            ORDER BY seen_at DESC, source_reference LIMIT 1),
           r.source_reference),
       stands.status,
       EXISTS (SELECT FROM ingest.publications p WHERE p.source_sha256 = r.source_sha256 AND p.state <> 'ended'),
       (SELECT count(*) FROM budget.dead_letters d
        WHERE d.source_sha256 = r.source_sha256 AND d.state IN ('open', 'replaying'))
FROM ingest.receipts r LEFT JOIN ingest.receipt_processing_status stands USING (source_sha256)
WHERE r.source_sha256 = :source
"""

_FORGET: Final = """
UPDATE ingest.receipt_processing_status
SET status = 'processing', attempts = 0, terminal = false, last_error = NULL, last_error_code = NULL,
    updated_at = now()
WHERE source_sha256 = :source AND status = 'failed'
"""
