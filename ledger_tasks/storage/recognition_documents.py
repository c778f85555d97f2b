"""Results on their way to documents: which wait for the mapper, and what one became."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, insert, literal, select, tuple_, update
from sqlalchemy.dialects.postgresql import JSONB

from db.recognition import document, document_row, recognition_job, s3_object, stored_file
from ledger_tasks.recognition.job import SUCCEEDED


class Waiting(NamedTuple):
    """A successful job whose file waits for its documents; bucket and key are None when it named no result.

    `waited` is how long it has been waiting, by the database's clock.
    """

    job_id: str
    finished_at: datetime
    waited: timedelta
    status: str
    bucket: str | None
    key: str | None


class NewDocument(NamedTuple):
    """A document to be, `columns` and `rows` as the tables have them."""

    columns: dict[str, Any]
    rows: Sequence[dict[str, Any]]


def load_waiting(connection: Connection, after: Waiting | None, limit: int) -> list[Waiting]:
    """Return the successful jobs of files in PROCESSING, oldest first, from behind one of them."""
    found = (
        select(
            recognition_job.c.id,
            recognition_job.c.finished_at,
            func.clock_timestamp() - recognition_job.c.finished_at,
            recognition_job.c.status,
            s3_object.c.bucket,
            s3_object.c.key,
        )
        .join(stored_file, stored_file.c.current_recognition_job_id == recognition_job.c.id)
        .outerjoin(s3_object, s3_object.c.id == recognition_job.c.result_s3_object_id)
        .where(
            stored_file.c.status == literal("PROCESSING", literal_execute=True), recognition_job.c.status.in_(SUCCEEDED)
        )
        .order_by(recognition_job.c.finished_at, recognition_job.c.id)
        .limit(limit)
    )
    if after is not None:
        place = tuple_(recognition_job.c.finished_at, recognition_job.c.id)
        found = found.where(
            place > tuple_(literal(after.finished_at), literal(after.job_id, recognition_job.c.id.type))
        )
    return [Waiting(*row) for row in connection.execute(found)]


def lock_waiting(connection: Connection, job_id: str) -> str | None:
    """Lock a job, then its file; return the file's id if it still waits for this job's documents."""
    job = select(recognition_job.c.file_id).where(
        recognition_job.c.id == job_id, recognition_job.c.status.in_(SUCCEEDED)
    )
    file_id = connection.execute(job.with_for_update()).scalar_one_or_none()
    file = select(stored_file.c.id).where(
        stored_file.c.id == file_id,
        stored_file.c.current_recognition_job_id == job_id,
        stored_file.c.status == "PROCESSING",
    )
    found: str | None = connection.execute(file.with_for_update()).scalar_one_or_none()
    return found


def insert_documents(connection: Connection, file_id: str, job_id: str, documents: Sequence[NewDocument]) -> None:
    """Insert documents and their rows, positions from 1."""
    for each in documents:
        row = {**each.columns, "file_id": file_id, "recognition_job_id": job_id}
        document_id = connection.execute(insert(document).values(row).returning(document.c.id)).scalar_one()
        rows = [{**cells, "document_id": document_id, "position": n} for n, cells in enumerate(each.rows, start=1)]
        if rows:
            connection.execute(insert(document_row), rows)


def set_mapped(connection: Connection, file_id: str, status: str, mapping_error: str | None) -> None:
    """End a file that waited for its documents."""
    done = {"status": status, "mapping_error": mapping_error}
    connection.execute(
        update(stored_file).where(stored_file.c.id == file_id, stored_file.c.status == "PROCESSING").values(done)
    )


def add_warnings(connection: Connection, job_id: str, warnings: Sequence[Any], statements_version: str | None) -> None:
    """Add the warnings of a result file that the envelope did not bring, and the file's statements version."""
    job = select(recognition_job.c.metrics, recognition_job.c.statements_version).where(recognition_job.c.id == job_id)
    metrics, known_version = connection.execute(job).one()
    known = metrics.get("warnings", [])
    fresh = [warning for warning in warnings if warning not in known]
    values: dict[str, Any] = {"statements_version": statements_version or known_version}
    if fresh:
        values["metrics"] = recognition_job.c.metrics.op("||")(
            func.jsonb_build_object("warnings", literal([*known, *fresh], JSONB))
        )
    connection.execute(update(recognition_job).where(recognition_job.c.id == job_id).values(values))
