"""The outbox in PostgreSQL: jobs to publish come out under our lock, and what the server has taken is written down."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, Text, cast, select, text

from db.recognition import recognition_job as job
from db.recognition import s3_object, stored_file
from ledger_tasks.recognition.job import REPUBLISH_COUNT, Job
from ledger_tasks.storage.recognition_jobs import is_status, republished
from ledger_tasks.storage.rows import one_text


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


class Silence(NamedTuple):
    """Which published jobs are to be published again: not acknowledged since, not yet often, not yet overdue."""

    since: datetime
    now: datetime
    max_republish: int


def any_to_publish(connection: Connection, silence: Silence) -> bool:
    """Say whether there is anything to publish, for the first time or again."""
    queued = select(job.c.id).where(is_status("queued")).exists()
    return bool(connection.execute(select(queued | select(job.c.id).where(*_silent(silence)).exists())).scalar_one())


def claim_queued(connection: Connection, pipelines: Collection[str], limit: int) -> list[Claimed]:
    """Lock the oldest queued jobs of some pipelines that nobody else holds."""
    found = _requests().where(is_status("queued"), job.c.pipeline.in_(pipelines))
    return _claimed(connection, found.order_by(job.c.requested_at, job.c.id).limit(limit))


def claim_silent(connection: Connection, silence: Silence, pipelines: Collection[str], limit: int) -> list[Claimed]:
    """Lock the jobs of some pipelines to be published again that nobody else holds, the longest silence first."""
    found = _requests().where(*_silent(silence), job.c.pipeline.in_(pipelines))
    return _claimed(connection, found.order_by(job.c.published_at).limit(limit))


def set_published(connection: Connection, publications: Sequence[Publication], reply_deadline: datetime) -> None:
    """Note that the first requests of queued jobs were taken."""
    _set(connection, _PUBLISHED, publications, deadline=reply_deadline)


def set_republished(connection: Connection, publications: Sequence[Publication]) -> None:
    """Note that the requests of published jobs were taken once more; message id and deadline stay."""
    _set(connection, _REPUBLISHED, publications)


def _set(connection: Connection, statement: Any, publications: Sequence[Publication], **values: object) -> None:
    if publications:
        taken = {name: one_text(column) for name, column in zip(_COLUMNS, zip(*publications, strict=True), strict=True)}
        changed = connection.execute(statement, taken | values).rowcount
        assert changed == len(publications), "a job under our lock has changed its status"


_COLUMNS: Final = ("ids", "message_ids", "subjects")
_TAKEN: Final = ", ".join(f"string_to_array(:{name}, chr(10))" for name in _COLUMNS)

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
        is_status("published"),
        job.c.published_at <= silence.since,
        job.c.reply_deadline > silence.now,
        republished < silence.max_republish,
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
