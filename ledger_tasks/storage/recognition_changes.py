"""Decided changes of recognition jobs come in; rows of jobs, of their files and of result objects are written."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, bindparam, select, text, tuple_
from sqlalchemy.dialects.postgresql import JSONB, insert

from db.recognition import s3_object, stored_file
from ledger_tasks.recognition.job import Answer, Ended, Job, Started, file_status, without_our_key

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
    connection.execute(insert(s3_object).on_conflict_do_nothing(), rows)
    found = select(s3_object.c.bucket, s3_object.c.key, s3_object.c.id).where(
        tuple_(s3_object.c.bucket, s3_object.c.key).in_(list(results)), s3_object.c.bucket_role == RESULTS
    )
    return {(bucket, key): object_id for bucket, key, object_id in connection.execute(found)}


def write_changes(
    connection: Connection,
    changes: Iterable[tuple[Job, Sequence[Started | Ended]]],
    objects: Mapping[Address, str] | None = None,
) -> None:
    """Write what was decided, in order, of jobs under our lock, and what follows for the files that point to them."""
    rows = [_row(job, decided, objects or {}) for job, decided in changes]
    if rows:
        files = sorted({row["file_id"] for row in rows})
        locked = select(stored_file.c.id).where(stored_file.c.id.in_(files)).order_by(stored_file.c.id)
        connection.execute(locked.with_for_update())
        changed = connection.execute(_CHANGE_JOBS, {"rows": rows}).rowcount
        assert changed == len(rows), "a job under our lock has changed its status"
        connection.execute(_CHANGE_FILES, {"rows": rows})


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

_CHANGE_FILES: Final = text("""
    UPDATE recognition.stored_file AS file
    SET status = change.file_status,
        error_code = change.error_code,
        error_message = change.error_message
    FROM jsonb_to_recordset(:rows) AS change (
        id uuid, file_id uuid, file_status text, error_code text, error_message text)
    WHERE file.id = change.file_id AND file.current_recognition_job_id = change.id
""").bindparams(bindparam("rows", type_=JSONB))
