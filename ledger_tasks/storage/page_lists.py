"""Dead letters, duplicates and recognition files for the pages: one page of each goes out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ARRAY, Connection, Row, Uuid, bindparam, text

Rows = Sequence[Row[Any]]

PAGE: Final = 50
"""Rows of one page: what a person scrolls through."""


@dataclass(frozen=True)
class DeadLetters:
    """`groups`: code, letters, oldest; `letters`: the newest of one code, or of all, without their bodies."""

    groups: Rows
    letters: Rows


def load_dead_letters(connection: Connection, code: str | None, page: int) -> DeadLetters:
    """Return the letters that nobody has settled, as the table knows them (reconciled every minute)."""
    values = {"code": code, "limit": PAGE, "offset": (page - 1) * PAGE}
    return DeadLetters(load_dead_groups(connection), connection.execute(text(_DEAD_LETTERS), values).all())


def load_dead_groups(connection: Connection) -> Rows:
    """Return the open letters by code: code, letters, oldest."""
    return connection.execute(text(_DEAD_GROUPS)).all()


def load_duplicates(connection: Connection, page: int) -> Rows:
    """Return suspected receipts beside the older one that each resembles, the longest waiting first."""
    return connection.execute(text(_DUPLICATES), {"limit": PAGE, "offset": (page - 1) * PAGE}).all()


def load_copies(connection: Connection) -> Rows:
    """Return receipts of which the same bytes lie at several paths: one receipt each, nothing to do."""
    return connection.execute(text(_COPIES), {"limit": PAGE}).all()


def load_set_aside(connection: Connection) -> Rows:
    """Return the receipts that people set aside as copies, the last first, with the receipt that is booked."""
    return connection.execute(text(_SET_ASIDE), {"limit": PAGE}).all()


def load_file_counts(connection: Connection) -> Rows:
    """Return how many recognition files have which status."""
    return connection.execute(text(_FILE_COUNTS)).all()


def load_file_page(connection: Connection, status: str | None, page: int) -> Rows:
    """Return recognition files with their current job, the newest first."""
    values = {"status": status, "limit": PAGE, "offset": (page - 1) * PAGE}
    return connection.execute(text(_FILES), values).all()


def load_file_audit(connection: Connection, file_id: str) -> Rows:
    """Return what people did to a file, first to last."""
    return connection.execute(text(_AUDIT), {"file_id": file_id}).all()


def count_reprocessed(connection: Connection, request_ids: Sequence[str]) -> int:
    """Return how many of these reprocess requests have an outcome."""
    ids = bindparam("ids", type_=ARRAY(Uuid(as_uuid=False)))
    return int(connection.execute(text(_REPROCESSED).bindparams(ids), {"ids": list(request_ids)}).scalar_one())


_REPROCESSED: Final = """
SELECT count(*) FROM budget.receipt_reprocess_requests WHERE request_id = ANY(:ids) AND completed_at IS NOT NULL
"""

_DEAD_GROUPS: Final = """
SELECT code, count(*) AS letters, min(dead_at) AS oldest FROM budget.dead_letters
WHERE state IN ('open', 'replaying') GROUP BY code ORDER BY letters DESC, code
"""

_DEAD_LETTERS: Final = """
SELECT id, family, message_id, source_sha256, source_reference, request_id, code, detail, dead_at, state
FROM budget.dead_letters
WHERE state IN ('open', 'replaying') AND (CAST(:code AS text) IS NULL OR code = :code)
ORDER BY dead_at DESC, id LIMIT :limit OFFSET :offset
"""

_DUPLICATES: Final = """
SELECT
    me.source_sha256, me.source_reference, me.merchant, me.transaction_date, me.currency, me.total, me.receipt_number,
    me.transaction_time, me.updated_at,
    other.source_sha256 AS other_sha256, other.source_reference AS other_reference, other.merchant AS other_merchant,
    other.receipt_number AS other_number, other.transaction_time AS other_time, stands.status AS other_status
FROM budget.receipt_evidence me
JOIN LATERAL (
    SELECT * FROM budget.receipt_evidence older
    WHERE older.source_sha256 = ANY(me.possible_duplicate_of)
      AND NOT EXISTS (SELECT FROM budget.receipt_corrections copied WHERE copied.source_sha256 = older.source_sha256
                      AND copied.field = 'booking' AND copied.item = '' AND copied.value LIKE 'copy:%')
    ORDER BY older.id LIMIT 1
) other ON TRUE
LEFT JOIN ingest.receipt_processing_status stands ON stands.source_sha256 = other.source_sha256
WHERE 'POSSIBLE_DUPLICATE' = ANY(me.review_reasons)
ORDER BY me.updated_at, me.id LIMIT :limit OFFSET :offset
"""

_SET_ASIDE: Final = """
SELECT
    me.source_sha256, me.source_reference, me.merchant, me.transaction_date, me.currency, me.total,
    other.source_sha256 AS other_sha256, other.source_reference AS other_reference, said.corrected_at, said.corrected_by
FROM budget.receipt_corrections said
JOIN budget.receipt_evidence me ON me.source_sha256 = said.source_sha256
JOIN budget.receipt_evidence other ON other.source_sha256 = substr(said.value, 6)
WHERE said.field = 'booking' AND said.item = '' AND said.value LIKE 'copy:%'
ORDER BY said.corrected_at DESC, me.source_sha256 LIMIT :limit
"""

_COPIES: Final = """
SELECT source_sha256, count(*) AS copies, array_agg(source_reference ORDER BY source_reference) AS paths
FROM ingest.receipt_paths GROUP BY source_sha256 HAVING count(*) > 1 ORDER BY copies DESC, source_sha256 LIMIT :limit
"""

_FILE_COUNTS: Final = "SELECT status, count(*) AS files FROM recognition.stored_file GROUP BY status ORDER BY status"

_FILES: Final = """
SELECT
    file.id, file.original_name, file.status, coalesce(file.error_code, file.mapping_error) AS trouble,
    file.error_message, file.created_at, job.id AS job_id, job.pipeline, job.status AS job_status, job.attempt,
    job.max_attempts, job.finished_at, job.service_name
FROM recognition.stored_file file
LEFT JOIN recognition.recognition_job job ON job.id = file.current_recognition_job_id
WHERE CAST(:status AS text) IS NULL OR file.status = :status
ORDER BY file.created_at DESC, file.id LIMIT :limit OFFSET :offset
"""

_AUDIT: Final = "SELECT at, actor, action, details FROM recognition.audit_event WHERE file_id = :file_id ORDER BY at"
