"""What `ingest` lacks is derived from `budget`: hashes (or all) come in, the number of rows made comes out."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import ARRAY, Connection, Text, bindparam, text

from ledger_tasks.storage.status import PATH_BYTES

_RECEIPTS: Final = """
INSERT INTO ingest.receipts (source_sha256, source_reference, first_seen_at)
SELECT DISTINCT ON (source_sha256) source_sha256, source_reference, collected_at
FROM budget.ocr_result_events
WHERE :whole OR source_sha256 = ANY(:sources)
ORDER BY source_sha256, collected_at
ON CONFLICT DO NOTHING
"""

_PATHS: Final = """
INSERT INTO ingest.receipt_paths (source_reference, source_sha256, seen_at)
SELECT DISTINCT ON (source_reference) source_reference, source_sha256, collected_at
FROM budget.ocr_result_events
WHERE (:whole OR source_sha256 = ANY(:sources)) AND octet_length(source_reference) <= :path_bytes
ORDER BY source_reference, collected_at DESC
ON CONFLICT DO NOTHING
"""

_FINISHED: Final = """
INSERT INTO ingest.receipt_processing_status (source_sha256, status, attempts, completed_at, updated_at)
SELECT evidence.source_sha256,
       CASE evidence.extraction_status WHEN 'complete' THEN 'succeeded' ELSE 'review_required' END,
       run.attempt, run.collected_at, evidence.updated_at
FROM budget.receipt_evidence AS evidence
JOIN budget.receipt_ocr_runs AS run ON run.source_sha256 = evidence.source_sha256 AND run.applied
WHERE :whole OR evidence.source_sha256 = ANY(:sources)
ON CONFLICT DO NOTHING
"""

_FAILED: Final = """
INSERT INTO ingest.receipt_processing_status
    (source_sha256, status, attempts, terminal, last_error, last_error_code, updated_at)
SELECT DISTINCT ON (event.source_sha256)
       event.source_sha256, 'failed', (failure->>'attempts')::int, (failure->>'terminal')::boolean,
       failure->>'detail', failure->>'code', event.collected_at
FROM budget.ocr_result_events AS event
JOIN budget.dead_letters AS dead ON dead.id = event.run_uuid AND dead.state IN ('open', 'replaying')
WHERE failure->>'persistence_mode' = 'normal' AND (:whole OR event.source_sha256 = ANY(:sources))
ORDER BY event.source_sha256, event.collected_at DESC
ON CONFLICT DO NOTHING
"""
"""A failure that was retried, replayed or purged is history: the next scan may publish that receipt again."""


def fill_ingest(connection: Connection, sources: Sequence[str] | None = None) -> tuple[int, int, int]:
    """Insert the receipts, paths and statuses that are missing for these hashes (None: for all); return their counts.

    Rows that exist stay as they are.
    """
    values = {"whole": sources is None, "sources": list(sources or ()), "path_bytes": PATH_BYTES}

    def insert(statement: str) -> int:
        typed = text(statement).bindparams(bindparam("sources", type_=ARRAY(Text)))
        return connection.execute(typed, values).rowcount

    return insert(_RECEIPTS), insert(_PATHS), insert(_FINISHED) + insert(_FAILED)
