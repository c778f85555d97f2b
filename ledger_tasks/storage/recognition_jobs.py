"""Recognition jobs in PostgreSQL: lock them for a decision. Lock order everywhere: job, then file."""

from collections.abc import Collection
from datetime import datetime
from typing import Final

from sqlalchemy import ColumnElement, Connection, exc, func, literal, select, text

from db.recognition import recognition_job as job
from ledger_tasks.errors import Infrastructure
from ledger_tasks.recognition.job import REPUBLISH_COUNT, Job
from ledger_tasks.storage.rows import one_text

LOCK_MILLISECONDS: Final = 1000
"""How long one statement waits for a lock: a row that others hold must not hold up the rest."""

_HELD_UP: Final = {"55P03", "40P01", "40001"}
"""SQLSTATE of a lock not free in time, a deadlock, and a transaction in the way."""


def database_time(connection: Connection) -> datetime:
    """Return the database's clock as it stands, not the start of the transaction: one clock for all processes."""
    found: datetime = connection.execute(select(func.clock_timestamp())).scalar_one()
    return found


def limit_lock_waits(connection: Connection) -> None:
    """Let no statement of this transaction wait long for a lock; it then fails as Infrastructure."""
    connection.execute(text(f"SET LOCAL lock_timeout = {LOCK_MILLISECONDS}"))


def was_held_up(error: Infrastructure) -> bool:
    """Say whether others held a lock for too long, or ours and theirs crossed: nothing is wrong with the server."""
    cause = error.__cause__
    return isinstance(cause, exc.DBAPIError) and getattr(cause.orig, "sqlstate", None) in _HELD_UP


def claim_unanswered(
    connection: Connection, between: tuple[datetime, datetime], now: datetime, max_republish: int, limit: int
) -> list[Job]:
    """Lock the jobs published often enough, the last time within a span, and not overdue, that nobody else holds."""
    first, last = between
    given_up = (
        select(*_job_columns)
        .where(
            _is_status("published"),
            job.c.published_at >= first,
            job.c.published_at <= last,
            job.c.reply_deadline > now,
            _republished >= max_republish,
        )
        .order_by(job.c.published_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    return [Job(*row) for row in connection.execute(given_up)]


def claim_overdue(connection: Connection, before: datetime, limit: int) -> list[Job]:
    """Lock the published and processing jobs whose deadline lies before a moment and that nobody else holds."""
    found = (
        select(*_job_columns)
        .where(_is_status("published") | _is_status("processing"), job.c.reply_deadline < before)
        .order_by(job.c.reply_deadline)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    return [Job(*row) for row in connection.execute(found)]


def lock_free_jobs(connection: Connection, ids: Collection[str]) -> tuple[dict[str, Job], set[str]]:
    """Lock the jobs that nobody else holds; return them, and the ids of those that somebody does."""
    locked = {row.id: Job(*row) for row in connection.execute(_LOCK_FREE, {"ids": one_text(ids)})}
    rest = set(ids) - locked.keys()
    held = set(connection.execute(_KNOWN, {"ids": one_text(rest)}).scalars()) if rest else set()
    return locked, held


def _is_status(status: str) -> ColumnElement[bool]:
    """Compare the status with SQL text: a parameter would hide from a generic plan that a partial index fits."""
    return job.c.status == literal(status, literal_execute=True)


_job_columns: Final = (job.c.id, job.c.file_id, job.c.status, job.c.result_msg_id, job.c.result_digest)
_republished: Final = func.coalesce(job.c.metrics[REPUBLISH_COUNT].as_integer(), 0)

_LOCK_FREE: Final = text("""
    SELECT id::text, file_id::text, status, result_msg_id, result_digest FROM recognition.recognition_job
    WHERE id = ANY(string_to_array(:ids, chr(10))::uuid[]) ORDER BY id FOR UPDATE SKIP LOCKED
""")
_KNOWN: Final = text("""
    SELECT id::text FROM recognition.recognition_job WHERE id = ANY(string_to_array(:ids, chr(10))::uuid[])
""")
