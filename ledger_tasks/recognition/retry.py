"""A new attempt for a failed file: file ids come in, new jobs or reasons against them go out."""

import time
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection, Engine

from ledger_tasks.errors import NotFoundError
from ledger_tasks.recognition.job import Refusal, refuse_retry
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.recognition_files import insert_attempt, insert_audit, lock_current_attempt
from ledger_tasks.tracing import began


class Retried(NamedTuple):
    """The file's new current job; it is queued."""

    file_id: str
    job_id: str
    attempt: int


class NotRetryable(NamedTuple):
    """The file stays as it is."""

    file_id: str
    reason: Refusal


def retry_file(engine: Engine, file_id: str, actor: str) -> Retried | NotRetryable:
    """Make one new attempt, or none, in one transaction with its audit. Raises NotFoundError, Infrastructure."""
    begun = time.time_ns()
    with transaction(engine) as connection:
        outcome = _retry(connection, file_id, actor)
    if isinstance(outcome, Retried):
        began("recognition.retry", [outcome.job_id], begun, file=file_id, attempt=outcome.attempt)
    return outcome


def retry_files(engine: Engine, file_ids: Sequence[str], actor: str) -> tuple[list[Retried], list[tuple[str, str]]]:
    """Retry each file once, each in its own transaction; return the new attempts, and (file id, code) of the rest."""
    retried: list[Retried] = []
    skipped: list[tuple[str, str]] = []
    for file_id in dict.fromkeys(file_ids):
        try:
            outcome = retry_file(engine, file_id, actor)
        except NotFoundError:
            skipped.append((file_id, "FILE_NOT_FOUND"))
            continue
        if isinstance(outcome, Retried):
            retried.append(outcome)
        else:
            skipped.append((file_id, "FILE_NOT_RETRYABLE"))
    return retried, skipped


def _retry(connection: Connection, file_id: str, actor: str) -> Retried | NotRetryable:
    current = lock_current_attempt(connection, file_id)
    reason = refuse_retry(current)
    if reason is not None or current is None:
        return NotRetryable(file_id, reason or "NOT_FAILED")
    job_id, attempt = insert_attempt(connection, current.job_id)
    details = {"attempt": attempt, "previous_job_id": current.job_id, "previous_status": current.status}
    insert_audit(connection, actor, "retry", file_id, job_id, details)
    return Retried(file_id, job_id, attempt)
