"""The outbox in PostgreSQL: jobs to publish come out under our lock, and what the server has taken is written down."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, TextClause, text

from ledger_tasks.recognition.job import REPUBLISH_COUNT, Job
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
    return bool(connection.execute(_ANY, silence._asdict()).scalar_one())


def claim_queued(connection: Connection, pipelines: Collection[str], limit: int) -> list[Claimed]:
    """Lock the oldest queued jobs of some pipelines that nobody else holds."""
    return _claimed(connection, _QUEUED, pipelines, limit)


def claim_silent(connection: Connection, silence: Silence, pipelines: Collection[str], limit: int) -> list[Claimed]:
    """Lock the jobs of some pipelines to be published again that nobody else holds, the longest silence first."""
    return _claimed(connection, _SILENT, pipelines, limit, **silence._asdict())


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


def _claimed(
    connection: Connection, statement: TextClause, pipelines: Collection[str], limit: int, **values: object
) -> list[Claimed]:
    given = {"pipelines": one_text(pipelines), "limit": limit, **values}
    return [Claimed._make(row) for row in connection.execute(statement, given).all()]


# Statements are SQL text: built anew for each tick, they took longer to build than to run. Each names the status by a
# literal, for a parameter would hide from a generic plan that a partial index fits.
_QUEUED_ONES: Final = "job.status = 'queued'"

_SILENT_ONES: Final = f"""
    job.status = 'published' AND job.published_at <= :since AND job.reply_deadline > :now
    AND coalesce((job.metrics ->> '{REPUBLISH_COUNT}')::integer, 0) < :max_republish
"""

_ANY: Final = text(f"""
    SELECT (
        SELECT true FROM recognition.recognition_job AS job WHERE {_QUEUED_ONES} ORDER BY requested_at, id LIMIT 1
    ) IS TRUE OR EXISTS (SELECT FROM recognition.recognition_job AS job WHERE {_SILENT_ONES})
""")  # noqa: S608 (constants of this file)
"""The oldest is asked for: to find any one of them, all rows may be read until the first."""

_CLAIM: Final = """
    SELECT job.id::text, job.file_id::text, job.status, job.pipeline, job.attempt, object.bucket, object.key,
        file.original_name, file.content_type, object.size_bytes, object.sha256, job.requested_at, job.reply_deadline
    FROM recognition.recognition_job AS job
    JOIN recognition.stored_file AS file ON file.id = job.file_id
    JOIN recognition.s3_object AS object ON object.id = file.s3_object_id
    WHERE job.pipeline = ANY(string_to_array(:pipelines, chr(10))) AND {whose}
    ORDER BY {order} LIMIT :limit FOR UPDATE OF job SKIP LOCKED
"""
"""A thousand ids are read as text faster than as numbers."""

_QUEUED: Final = text(_CLAIM.format(whose=_QUEUED_ONES, order="job.requested_at, job.id"))
_SILENT: Final = text(_CLAIM.format(whose=_SILENT_ONES, order="job.published_at"))

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
