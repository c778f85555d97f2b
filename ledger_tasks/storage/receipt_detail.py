"""One receipt for the command line: a hash comes in; what it says, how it was read and what was tried goes out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, text

SHOWN: Final = 200
"""Rows of one kind that are shown at most: a receipt that was reprocessed for years stays readable."""

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class ReceiptDetail:
    """Rows with the columns' names; `attempts` are the final events, the newest first, with failures and outcomes."""

    paths: list[str]
    evidence: Mapping[str, Any] | None
    expense: Mapping[str, Any] | None
    corrections: Rows
    attempts: Rows
    runs: Rows
    passes: Rows
    artifacts: Rows
    requests: Rows
    dead_letters: Rows


def receipt_detail(connection: Connection, source_sha256: str) -> ReceiptDetail:
    """Return everything that is stored about one receipt, but its text; no row where there is none."""

    def rows(query: str) -> Rows:
        found = connection.execute(text(query), {"source": source_sha256, "shown": SHOWN})
        return [dict(row) for row in found.mappings()]

    return ReceiptDetail(
        paths=[row["source_reference"] for row in rows(_PATHS)],
        evidence=next(iter(rows(_EVIDENCE)), None),
        expense=next(iter(rows(_EXPENSE)), None),
        corrections=rows(_CORRECTIONS),
        attempts=rows(_ATTEMPTS),
        runs=rows(_RUNS),
        passes=rows(_PASSES),
        artifacts=rows(_ARTIFACTS),
        requests=rows(_REQUESTS),
        dead_letters=rows(_DEAD_LETTERS),
    )


_PATHS: Final = """
SELECT source_reference FROM ingest.receipt_paths WHERE source_sha256 = :source ORDER BY source_reference LIMIT :shown
"""

_EVIDENCE: Final = """
SELECT id, fields, items, tax_lines, payments, extraction_status, extraction_confidence, review_reasons,
       possible_duplicate_of, run_uuid, generation, updated_at
FROM budget.receipt_evidence WHERE source_sha256 = :source
"""

_EXPENSE: Final = """
SELECT id, merchant, date, currency, total, category, exported_at FROM budget.expenses WHERE source_sha256 = :source
"""

_CORRECTIONS: Final = """
SELECT field, item, value, corrected_at, corrected_by FROM budget.receipt_corrections
WHERE source_sha256 = :source ORDER BY corrected_at, field, item LIMIT :shown
"""

_ATTEMPTS: Final = """
SELECT run_uuid, event_type, attempt, outcome, failure->>'code' AS error_code, failure->>'detail' AS error,
       worker->>'host' AS host, occurred_at, collected_at
FROM budget.ocr_result_events
WHERE source_sha256 = :source AND event_type <> 'ocr.pass-completed.v1'
ORDER BY collected_at DESC, message_id LIMIT :shown
"""

_RUNS: Final = """
SELECT run_uuid, persistence_mode, request_id, generation, applied, engine, engine_version, extractor_version,
       cache_sha256, processed_at, processing_seconds, timings, pages
FROM budget.receipt_ocr_runs WHERE source_sha256 = :source ORDER BY generation DESC, run_uuid LIMIT :shown
"""

_PASSES: Final = """
SELECT p.run_uuid, pass_id, p.engine, p.engine_version, page_number, dpi, psm, variant, seconds, status, error_type,
       line_count, character_count, confidence, selected
FROM budget.receipt_ocr_passes p LEFT JOIN budget.receipt_ocr_runs r USING (run_uuid)
WHERE p.source_sha256 = :source ORDER BY r.generation DESC NULLS FIRST, p.run_uuid, pass_id LIMIT :shown
"""

_ARTIFACTS: Final = """
SELECT run_uuid, kind, uri, sha256, media_type, size_bytes FROM budget.receipt_ocr_artifacts
WHERE run_uuid IN (SELECT run_uuid FROM budget.receipt_ocr_runs WHERE source_sha256 = :source)
ORDER BY run_uuid, kind, sha256 LIMIT :shown
"""

_REQUESTS: Final = """
SELECT * FROM (
    SELECT 'reprocess' AS mode, r.* FROM budget.receipt_reprocess_requests r WHERE source_sha256 = :source
    UNION ALL
    SELECT 'cache_only', c.* FROM budget.receipt_cache_requests c WHERE source_sha256 = :source
) AS both_kinds ORDER BY created_at DESC, request_id LIMIT :shown
"""

_DEAD_LETTERS: Final = """
SELECT id, family, code, detail, message_id, request_id, state, dead_at FROM budget.dead_letters
WHERE source_sha256 = :source ORDER BY dead_at DESC, id LIMIT :shown
"""
