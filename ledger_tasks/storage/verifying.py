"""What rows say about files, and where rows contradict each other: all of it as it is at one moment."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final, NamedTuple

from sqlalchemy import Connection, text

from ledger_tasks.storage.counts import differing


class Named(NamedTuple):
    """An artifact that rows name; `applied`: by the run whose reading stands."""

    sha256: str
    source_sha256: str
    reference: str
    applied: bool


class Contradiction(NamedTuple):
    """A rule between rows that a source breaks, by its code."""

    code: str
    source_sha256: str
    reference: str


@dataclass(frozen=True)
class Rows:
    """Everything that rows say about files; `finished`: sources whose reading stands, with one of their paths.

    `stats`: path -> stat and hash of a source as a scan saw it last; `caches`: hashes of every cache of a run;
    `miscounted`: where a kept sum is another number than there are rows.
    """

    known: AbstractSet[str]
    finished: Mapping[str, str]
    stats: Mapping[str, tuple[tuple[int, ...], str]]
    caches: AbstractSet[str]
    artifacts: Sequence[Named]
    requests: AbstractSet[tuple[str, str]]
    contradictions: Sequence[Contradiction]
    miscounted: Sequence[str]


def rows_about_files(connection: Connection) -> Rows:
    """Read what rows say."""
    connection.execute(text("SET LOCAL statement_timeout = 0"))
    return Rows(
        known=set(connection.execute(text("SELECT source_sha256 FROM ingest.receipts")).scalars()),
        finished={row[0]: row[1] for row in connection.execute(text(_FINISHED))},
        stats={row[0]: (tuple(row[2:]), row[1]) for row in connection.execute(text(_STATS))},
        caches=set(connection.execute(text("SELECT cache_sha256 FROM budget.receipt_ocr_runs")).scalars()),
        artifacts=[Named(*row) for row in connection.execute(text(_ARTIFACTS))],
        requests={(row[0], row[1]) for row in connection.execute(text(_REQUESTS))},
        contradictions=[Contradiction(*row) for row in connection.execute(text(_CONTRADICTIONS))],
        miscounted=differing(connection),
    )


_FINISHED: Final = "SELECT source_sha256, source_reference FROM budget.receipt_evidence"

_STATS: Final = """
SELECT path, sha256, device, inode, size_bytes, mtime_ns, ctime_ns FROM ingest.source_index WHERE kind = 'source'
"""

_ARTIFACTS: Final = """
SELECT artifact.sha256, run.source_sha256, max(run.source_reference), bool_or(run.applied)
FROM budget.receipt_ocr_artifacts AS artifact JOIN budget.receipt_ocr_runs AS run USING (run_uuid)
GROUP BY 1, 2 ORDER BY 3, 1
"""

_REQUESTS: Final = """
SELECT source_sha256, request_id::text FROM budget.receipt_reprocess_requests
UNION ALL SELECT source_sha256, request_id::text FROM budget.receipt_cache_requests
"""

_CONTRADICTIONS: Final = """
SELECT 'READING_LOST', source_sha256, max(source_reference) FROM budget.receipt_ocr_runs AS run
WHERE applied AND NOT EXISTS (SELECT FROM budget.receipt_evidence WHERE source_sha256 = run.source_sha256)
GROUP BY 2
UNION ALL
SELECT 'RUN_LOST', source_sha256, source_reference FROM budget.receipt_evidence AS evidence
WHERE NOT EXISTS (SELECT FROM budget.receipt_ocr_runs AS run WHERE run.run_uuid = evidence.run_uuid AND applied)
UNION ALL
SELECT 'BOOKING_LOST', source_sha256, source_reference FROM budget.receipt_evidence AS evidence
WHERE extraction_status = 'complete'
  AND NOT EXISTS (SELECT FROM budget.expenses WHERE source_sha256 = evidence.source_sha256)
  AND NOT EXISTS (SELECT FROM budget.receipt_corrections AS copied
                  WHERE copied.source_sha256 = evidence.source_sha256 AND field = 'booking' AND value LIKE 'copy:%')
UNION ALL
SELECT 'BOOKING_DIFFERS', source_sha256, source_reference
FROM budget.receipt_evidence AS evidence JOIN budget.expenses AS expense USING (source_sha256)
WHERE extraction_status = 'complete'
  AND (expense.merchant, expense.date, expense.currency, expense.total)
      IS DISTINCT FROM (evidence.merchant, transaction_date, evidence.currency, evidence.total)
UNION ALL
SELECT 'BOOKING_WITHOUT_READING', expense.source_sha256, coalesce(receipt.source_reference, '')
FROM budget.expenses AS expense LEFT JOIN ingest.receipts AS receipt USING (source_sha256)
WHERE expense.source_sha256 IS NOT NULL
  AND NOT EXISTS (SELECT FROM budget.receipt_evidence WHERE source_sha256 = expense.source_sha256)
UNION ALL
SELECT 'STATUS_DIFFERS', evidence.source_sha256, source_reference
FROM budget.receipt_evidence AS evidence LEFT JOIN ingest.receipt_processing_status AS state USING (source_sha256)
WHERE state.status IS DISTINCT FROM
    CASE extraction_status WHEN 'complete' THEN 'succeeded' ELSE 'review_required' END
UNION ALL
SELECT 'STATUS_WITHOUT_READING', state.source_sha256, receipt.source_reference
FROM ingest.receipt_processing_status AS state JOIN ingest.receipts AS receipt USING (source_sha256)
WHERE completed_at IS NOT NULL
  AND NOT EXISTS (SELECT FROM budget.receipt_evidence WHERE source_sha256 = state.source_sha256)
ORDER BY 1, 3, 2
"""
