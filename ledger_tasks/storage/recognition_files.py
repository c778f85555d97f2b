"""Files and attempts of the recognition exchange: submit one, look at them, and lock one for its next attempt."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, insert, literal, select, update

from db.recognition import audit_event, document, document_row, recognition_job, s3_object, stored_file
from ledger_tasks.errors import NotFoundError
from ledger_tasks.recognition.job import Attempt

UPLOADS = "uploads"
"""The bucket_role of what people sent."""


class Upload(NamedTuple):
    """A file that lies in the object store already."""

    file_id: str
    bucket: str
    key: str
    original_name: str
    content_type: str
    size_bytes: int
    sha256: str
    consolidation_id: str | None


def insert_submission(connection: Connection, upload: Upload, pipeline: str, max_attempts: int) -> str:
    """Insert object, file and queued job; return the job's id. The trigger points the file to its job."""
    stored = {
        "bucket": upload.bucket,
        "key": upload.key,
        "bucket_role": UPLOADS,
        "size_bytes": upload.size_bytes,
        "sha256": upload.sha256,
    }
    object_id = connection.execute(insert(s3_object).values(stored).returning(s3_object.c.id)).scalar_one()
    file = {
        "id": upload.file_id,
        "original_name": upload.original_name,
        "content_type": upload.content_type,
        "consolidation_id": upload.consolidation_id,
        "s3_object_id": object_id,
    }
    connection.execute(insert(stored_file).values(file))
    job = {"file_id": upload.file_id, "pipeline": pipeline, "max_attempts": max_attempts}
    return str(connection.execute(insert(recognition_job).values(job).returning(recognition_job.c.id)).scalar_one())


def lock_current_attempt(connection: Connection, file_id: str) -> Attempt | None:
    """Lock a file's current job, then the file, and return what a retry must know; None: it has no job at all.

    The pointer may move while we wait for the job, so what counts is read once the file is ours.
    Raises NotFoundError.
    """
    file = select(stored_file).where(stored_file.c.id == file_id)
    seen = connection.execute(file).one_or_none()
    if seen is None:
        raise NotFoundError(f"no file {file_id}", next_command="ledger recognition jobs")
    job = select(recognition_job)
    connection.execute(job.where(recognition_job.c.id == seen.current_recognition_job_id).with_for_update())
    mine = connection.execute(file.with_for_update()).one()
    current = connection.execute(job.where(recognition_job.c.id == mine.current_recognition_job_id)).one_or_none()
    if current is None:
        return None
    return Attempt(
        current.id, current.status, current.attempt, current.max_attempts, mine.status, mine.mapping_error is not None
    )


def insert_attempt(connection: Connection, previous_job_id: str) -> tuple[str, int]:
    """Insert the next attempt of a job under our lock, everything else fresh, and make its file UPLOADED again."""
    kept = (recognition_job.c.file_id, recognition_job.c.pipeline, recognition_job.c.max_attempts)
    # The clock as it stands: our transaction may have begun before the attempt failed, and waited for its lock.
    at = func.clock_timestamp()
    following = select(*kept, recognition_job.c.attempt + 1, at).where(recognition_job.c.id == previous_job_id)
    made = (
        insert(recognition_job)
        .from_select(["file_id", "pipeline", "max_attempts", "attempt", "requested_at"], following)
        .returning(recognition_job.c.id, recognition_job.c.attempt, recognition_job.c.file_id)
    )
    job_id, attempt, file_id = connection.execute(made).one()
    fresh = {"status": "UPLOADED", "error_code": None, "error_message": None, "mapping_error": None}
    connection.execute(update(stored_file).where(stored_file.c.id == file_id).values(fresh))
    return job_id, attempt


def insert_audit(connection: Connection, actor: str, action: str, file_id: str, job_id: str, details: object) -> None:
    """Note what a person did."""
    row = {"actor": actor, "action": action, "file_id": file_id, "job_id": job_id, "details": details}
    connection.execute(insert(audit_event).values(row))


def load_file(connection: Connection, file_id: str) -> dict[str, Any] | None:
    """Return a file's columns, or None."""
    return _one(connection.execute(select(stored_file).where(stored_file.c.id == file_id)).mappings().one_or_none())


def load_files(connection: Connection, limit: int, status: str | None = None) -> list[dict[str, Any]]:
    """Return the columns of the newest files."""
    found = select(stored_file).order_by(stored_file.c.created_at.desc(), stored_file.c.id).limit(limit)
    if status is not None:
        found = found.where(stored_file.c.status == status)
    return [dict(row) for row in connection.execute(found).mappings()]


def load_job(connection: Connection, job_id: str) -> dict[str, Any] | None:
    """Return a job's columns, or None."""
    found = select(recognition_job).where(recognition_job.c.id == job_id)
    return _one(connection.execute(found).mappings().one_or_none())


def load_jobs(connection: Connection, limit: int, status: str | None = None) -> list[dict[str, Any]]:
    """Return the columns of the newest jobs."""
    found = select(recognition_job).order_by(recognition_job.c.requested_at.desc(), recognition_job.c.id).limit(limit)
    if status is not None:
        found = found.where(recognition_job.c.status == status)
    return [dict(row) for row in connection.execute(found).mappings()]


def count_active(connection: Connection) -> dict[str, int]:
    """Count the jobs of each status that is not final; the final ones only grow and are not counted here."""
    statuses = ("queued", "published", "processing")
    job = recognition_job.c.status
    counts = [
        select(func.count()).where(job == literal(status, literal_execute=True)).scalar_subquery()
        for status in statuses
    ]
    return dict(zip(statuses, connection.execute(select(*counts)).one(), strict=True))


def load_attempts(connection: Connection, file_id: str) -> list[dict[str, Any]]:
    """Return the columns of every job of a file, first attempt first."""
    found = select(recognition_job).where(recognition_job.c.file_id == file_id).order_by(recognition_job.c.attempt)
    return [dict(row) for row in connection.execute(found).mappings()]


def load_documents(connection: Connection, file_id: str) -> list[dict[str, Any]]:
    """Return the documents of a file, each with its rows in order."""
    found = select(document).where(document.c.file_id == file_id).order_by(document.c.id)
    return [{**row, "rows": _rows(connection, row["id"])} for row in connection.execute(found).mappings().all()]


def _rows(connection: Connection, document_id: str) -> list[dict[str, Any]]:
    found = select(document_row).where(document_row.c.document_id == document_id).order_by(document_row.c.position)
    return [dict(row) for row in connection.execute(found).mappings()]


def _one(row: Mapping[Any, Any] | None) -> dict[str, Any] | None:
    return None if row is None else dict(row)
