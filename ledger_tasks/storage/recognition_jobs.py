"""Recognition jobs in PostgreSQL: claim, lock and change them. Lock order everywhere: job, then file."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, Text, cast, exc, func, literal, select, text

from db.recognition import recognition_job as job
from db.recognition import s3_object, stored_file
from ledger_tasks.errors import Infrastructure
from ledger_tasks.recognition.job import REPUBLISH_COUNT, Job

LOCK_MILLISECONDS: Final = 1000
"""How long one statement waits for a lock: a row that others hold must not hold up the rest."""

_HELD_UP: Final = {"55P03", "40P01", "40001"}
"""SQLSTATE of a lock not free in time, a deadlock, and a transaction in the way."""


class Claimed(NamedTuple):
    """A job under our lock, with all that its request says."""

    id: str
    file_id: str
    status: Any
    pipeline: str
    attempt: int
    bucket: str
    key: str
    original_name: str
    content_type: str
    size_bytes: int | None
    sha256: str | None
    requested_at: datetime
    reply_deadline: datetime | None

    @property
    def job(self) -> Job:
        """Return what the decisions need."""
        return Job(self.id, self.file_id, self.status)


class Publication(NamedTuple):
    """A job whose request the server has provably taken."""

    id: str
    message_id: str
    subject: str


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


class Silence(NamedTuple):
    """Which published jobs are to be published again: not acknowledged since, not yet often, not yet overdue."""

    since: datetime
    now: datetime
    max_republish: int


def any_to_publish(connection: Connection, silence: Silence) -> bool:
    """Say whether there is anything to publish, for the first time or again."""
    queued = select(job.c.id).where(_is("queued")).exists()
    return bool(connection.execute(select(queued | select(job.c.id).where(*_silent(silence)).exists())).scalar_one())


def claim_queued(connection: Connection, pipelines: Collection[str], limit: int) -> list[Claimed]:
    """Lock the oldest queued jobs of some pipelines that nobody else holds."""
    found = _requests().where(_is("queued"), job.c.pipeline.in_(pipelines))
    return _claimed(connection, found.order_by(job.c.requested_at, job.c.id).limit(limit))


def claim_silent(connection: Connection, silence: Silence, pipelines: Collection[str], limit: int) -> list[Claimed]:
    """Lock the jobs of some pipelines to be published again that nobody else holds, the longest silence first."""
    found = _requests().where(*_silent(silence), job.c.pipeline.in_(pipelines))
    return _claimed(connection, found.order_by(job.c.published_at).limit(limit))


def claim_unanswered(
    connection: Connection, between: tuple[datetime, datetime], now: datetime, max_republish: int, limit: int
) -> list[Job]:
    """Lock the jobs published often enough, the last time within a span, and not overdue, that nobody else holds."""
    first, last = between
    given_up = (
        select(*_job_columns)
        .where(
            _is("published"),
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
        .where(_is("published") | _is("processing"), job.c.reply_deadline < before)
        .order_by(job.c.reply_deadline)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    return [Job(*row) for row in connection.execute(found)]


def lock_free_jobs(connection: Connection, ids: Collection[str]) -> tuple[dict[str, Job], set[str]]:
    """Lock the jobs that nobody else holds; return them, and the ids of those that somebody does."""
    found = select(*_job_columns).where(job.c.id.in_(ids)).order_by(job.c.id).with_for_update(skip_locked=True)
    locked = {row.id: Job(*row) for row in connection.execute(found)}
    rest = set(ids) - locked.keys()
    held = set(connection.execute(select(job.c.id).where(job.c.id.in_(rest))).scalars()) if rest else set()
    return locked, held


def set_published(connection: Connection, publications: Sequence[Publication], reply_deadline: datetime) -> None:
    """Note that the first requests of queued jobs were taken."""
    _set(connection, _PUBLISHED, publications, deadline=reply_deadline)


def set_republished(connection: Connection, publications: Sequence[Publication]) -> None:
    """Note that the requests of published jobs were taken once more; message id and deadline stay."""
    _set(connection, _REPUBLISHED, publications)


def _set(connection: Connection, statement: Any, publications: Sequence[Publication], **values: object) -> None:
    if publications:
        taken = {
            name: "\n".join(column) for name, column in zip(_COLUMNS, zip(*publications, strict=True), strict=True)
        }
        changed = connection.execute(statement, taken | values).rowcount
        assert changed == len(publications), "a job under our lock has changed its status"


_COLUMNS: Final = ("ids", "message_ids", "subjects")
_TAKEN: Final = ", ".join(f"string_to_array(:{name}, chr(10))" for name in _COLUMNS)
"""One text for each column: the driver would write an array value by value, thousands of them. None holds a newline."""

_PUBLISHED: Final = text(f"""
    UPDATE recognition.recognition_job AS job
    SET status = 'published', published_at = clock_timestamp(), request_msg_id = taken.message_id,
        request_subject = taken.subject, reply_deadline = :deadline
    FROM unnest({_TAKEN}) AS taken (id, message_id, subject)
    WHERE job.id = taken.id::uuid AND job.status = 'queued'
""")  # noqa: S608 (the only inserted text is a constant of ours)

_REPUBLISHED: Final = text(f"""
    UPDATE recognition.recognition_job AS job
    SET published_at = clock_timestamp(), request_subject = taken.subject,
        metrics = job.metrics || jsonb_build_object(
            '{REPUBLISH_COUNT}', coalesce((job.metrics ->> '{REPUBLISH_COUNT}')::integer, 0) + 1)
    FROM unnest({_TAKEN}) AS taken (id, message_id, subject)
    WHERE job.id = taken.id::uuid AND job.status = 'published'
""")  # noqa: S608 (same)


def _silent(silence: Silence) -> tuple[ColumnElement[bool], ...]:
    return (
        _is("published"),
        job.c.published_at <= silence.since,
        job.c.reply_deadline > silence.now,
        _republished < silence.max_republish,
    )


def _requests() -> Select[Any]:
    return (
        select(
            cast(job.c.id, Text),  # a thousand ids are read as text faster than as numbers
            cast(job.c.file_id, Text),
            job.c.status,
            job.c.pipeline,
            job.c.attempt,
            s3_object.c.bucket,
            s3_object.c.key,
            stored_file.c.original_name,
            stored_file.c.content_type,
            s3_object.c.size_bytes,
            s3_object.c.sha256,
            job.c.requested_at,
            job.c.reply_deadline,
        )
        .join(stored_file, stored_file.c.id == job.c.file_id)
        .join(s3_object, s3_object.c.id == stored_file.c.s3_object_id)
    )


def _claimed(connection: Connection, found: Select[Any]) -> list[Claimed]:
    rows = connection.execute(found.with_for_update(of=job, skip_locked=True))
    return [Claimed._make(row) for row in rows.all()]


def _is(status: str) -> ColumnElement[bool]:
    """Compare the status with SQL text: a parameter would hide from a generic plan that a partial index fits."""
    return job.c.status == literal(status, literal_execute=True)


_job_columns: Final = (job.c.id, job.c.file_id, job.c.status, job.c.result_msg_id, job.c.result_digest)
_republished: Final = func.coalesce(job.c.metrics[REPUBLISH_COUNT].as_integer(), 0)
