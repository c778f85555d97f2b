"""Decided changes of recognition jobs come in; rows of jobs, of their files and of result objects are written."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, bindparam, text
from sqlalchemy.dialects.postgresql import JSONB

from db.recognition import s3_object
from ledger_tasks.recognition.job import Answer, Ended, Job, Started, file_status, without_our_key
from ledger_tasks.storage.rows import insert_new, one_text

Address = tuple[str, str]
"""Bucket and key."""

RESULTS: Final = "results"
"""The bucket_role of what services wrote."""


def register_results(connection: Connection, results: Mapping[Address, str]) -> dict[Address, str]:
    """Make sure that each address, given with the name of its service, is a result object; return their ids.

    An address is missing from the answer when it already belongs to something else.
    """
    if not results:
        return {}
    # In order of the key, so that no two transactions wait for each other.
    rows = [
        {"bucket": bucket, "key": key, "bucket_role": RESULTS, "created_by": service}
        for (bucket, key), service in sorted(results.items())
    ]
    insert_new(connection, {s3_object: rows})
    # A statement of its own: it sees what another inbox has registered meanwhile.
    return {(bucket, key): object_id for bucket, key, object_id in connection.execute(_REGISTERED, {"rows": rows})}


def write_changes(
    connection: Connection,
    changes: Iterable[tuple[Job, Sequence[Started | Ended]]],
    objects: Mapping[Address, str] | None = None,
) -> None:
    """Write what was decided, in order, of jobs under our lock, and what follows for the files that point to them."""
    rows = [_row(job, decided, objects or {}) for job, decided in changes]
    if rows:
        files = sorted({row["file_id"] for row in rows})
        connection.execute(_LOCK_FILES, {"files": one_text(files)})
        changed = connection.execute(_CHANGE_JOBS, {"rows": rows}).rowcount
        assert changed == len(rows), "a job under our lock has changed its status"
        connection.execute(_CHANGE_FILES, {"rows": [{name: row.get(name) for name in _OF_FILES} for row in rows]})


def _row(job: Job, decided: Sequence[Started | Ended], objects: Mapping[Address, str]) -> dict[str, Any]:
    row: dict[str, Any] = {"id": job.id, "file_id": job.file_id, "expected": job.status}
    for change in decided:
        row["file_status"] = file_status(change)
        if isinstance(change, Started):
            row |= {"status": "processing", "started": True}
            row |= {"service_name": change.service_name, "service_version": change.service_version}
        else:
            row |= {"status": change.status, "ended": True}
            row |= {"error_code": change.error_code, "error_message": change.error_message}
            row |= _answered(change.answer, objects) if change.answer else {}
    return row


def _answered(answer: Answer, objects: Mapping[Address, str]) -> dict[str, Any]:
    return {
        "service_name": answer.service_name,
        "service_version": answer.service_version,
        "statements_version": answer.statements_version,
        "metrics": without_our_key(answer.metrics),
        "result_schema_version": answer.result_schema_version,
        "result_s3_object_id": objects.get(answer.result) if answer.result else None,
        "result_msg_id": answer.message_id,
        "result_digest": answer.digest,
    }


_REGISTERED: Final = text(f"""
    SELECT known.bucket, known.key, known.id::text
    FROM jsonb_to_recordset(:rows) AS given (bucket text, key text)
    JOIN recognition.s3_object AS known USING (bucket, key)
    WHERE known.bucket_role = '{RESULTS}'
""").bindparams(bindparam("rows", type_=JSONB))  # noqa: S608 (the only inserted text is a constant of ours)

_LOCK_FILES: Final = text("""
    SELECT FROM recognition.stored_file WHERE id = ANY(string_to_array(:files, chr(10))::uuid[]) ORDER BY id FOR UPDATE
""")

_CHANGE_JOBS: Final = text("""
    UPDATE recognition.recognition_job AS job
    SET status = change.status,
        started_at = CASE WHEN change.started THEN clock_timestamp() ELSE job.started_at END,
        finished_at = CASE WHEN change.ended THEN clock_timestamp() END,
        service_name = coalesce(change.service_name, job.service_name),
        service_version = coalesce(change.service_version, job.service_version),
        statements_version = change.statements_version,
        metrics = job.metrics || coalesce(change.metrics, '{}'),
        error_code = change.error_code,
        error_message = change.error_message,
        result_schema_version = change.result_schema_version,
        result_s3_object_id = change.result_s3_object_id,
        result_msg_id = change.result_msg_id,
        result_digest = change.result_digest
    FROM jsonb_to_recordset(:rows) AS change (
        id uuid, expected text, status text, started boolean, ended boolean, service_name text, service_version text,
        statements_version text, metrics jsonb, error_code text, error_message text, result_schema_version text,
        result_s3_object_id uuid, result_msg_id text, result_digest text)
    WHERE job.id = change.id AND job.status = change.expected
""").bindparams(bindparam("rows", type_=JSONB))

_OF_FILES: Final = ("id", "file_id", "file_status", "error_code", "error_message")
_CHANGE_FILES: Final = text("""
    UPDATE recognition.stored_file AS file
    SET status = change.file_status,
        error_code = change.error_code,
        error_message = change.error_message
    FROM jsonb_to_recordset(:rows) AS change (
        id uuid, file_id uuid, file_status text, error_code text, error_message text)
    WHERE file.id = change.file_id AND file.current_recognition_job_id = change.id
""").bindparams(bindparam("rows", type_=JSONB))
