"""Every legal change of a recognition job: the job and what happened come in, a change or a reason against it goes out.

    queued -> published -> processing -> done | needs_check | error
       |          |  |         |
       |          |  +---------+-----> timeout     reply_deadline passed
       |          +------------------> dlq         nobody acknowledged, republished often enough
       +-----------------------------> error       no request can be made of it

A result is taken in any state that is not final: acknowledgements may be lost. What is final stays as it is.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal

Status = Literal["queued", "published", "processing", "done", "needs_check", "error", "timeout", "dlq"]
FileStatus = Literal["UPLOADED", "PROCESSING", "PROCESSED", "NEEDS_CHECK", "ERROR"]
Refusal = Literal["IN_PROGRESS", "NOT_FAILED", "MAX_ATTEMPTS"]

ACTIVE: Final = frozenset({"queued", "published", "processing"})
FAILED: Final = frozenset({"error", "timeout", "dlq"})
SUCCEEDED: Final = frozenset({"done", "needs_check"})

REPUBLISH_COUNT: Final = "republish_count"
"""The one key of `metrics` that is ours; a service's key of that name is dropped."""

NO_ACK: Final = "NO_ACK"
TIMEOUT: Final = "TIMEOUT"
REQUEST_INVALID: Final = "REQUEST_INVALID"
RESULT_KEY_CONFLICT: Final = "RESULT_KEY_CONFLICT"
UNSPECIFIED: Final = "UNSPECIFIED"
"""Error code of a service that said `error` without saying why."""


@dataclass(frozen=True, slots=True)
class Job:
    """A job as its row stands under our lock."""

    id: str
    file_id: str
    status: Status
    result_msg_id: str | None = None
    result_digest: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a service said of one job. `message_id` is its header, or the digest of the body when that is missing."""

    job_id: str
    status: Literal["processing", "done", "needs_check", "error"]
    service_name: str
    service_version: str
    statements_version: str | None
    result: tuple[str, str] | None
    result_schema_version: str | None
    metrics: dict[str, Any]
    error_code: str | None
    error_message: str | None
    message_id: str
    digest: str


@dataclass(frozen=True, slots=True)
class Started:
    """A service works on it."""

    service_name: str
    service_version: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The job is final; `answer` is None when we ended it ourselves."""

    status: Status
    error_code: str | None = None
    error_message: str | None = None
    answer: Answer | None = None


@dataclass(frozen=True, slots=True)
class Ignored:
    """Nothing changes; `reason` goes to the log. `expected` is a repeat of what we know, not worth a warning."""

    reason: str
    expected: bool = False


def receive(job: Job, answer: Answer) -> Started | Ended | Ignored:
    """Decide what an answer does to a job."""
    return _acknowledge(job, answer) if answer.status == "processing" else _conclude(job, answer)


def after(job: Job, change: Started | Ended) -> Job:
    """Return the job as it stands after a change, for the next answer of the same batch."""
    if isinstance(change, Started):
        return replace(job, status="processing")
    ended = replace(job, status=change.status)
    if change.answer is None:
        return ended
    return replace(ended, result_msg_id=change.answer.message_id, result_digest=change.answer.digest)


def file_status(change: Started | Ended) -> FileStatus:
    """Return what the file becomes when this job is its current one; a success waits for the mapper."""
    return "ERROR" if isinstance(change, Ended) and change.status in FAILED else "PROCESSING"


def without_our_key(metrics: dict[str, Any]) -> dict[str, Any]:
    """Return what a service counted, less the key that is ours."""
    return {key: value for key, value in metrics.items() if key != REPUBLISH_COUNT}


def _acknowledge(job: Job, answer: Answer) -> Started | Ignored:
    match job.status:
        case "published":
            return Started(answer.service_name, answer.service_version)
        case "processing":
            return Ignored("acknowledged already", expected=True)
        case "queued":
            return Ignored("acknowledgement of a job that is queued: its publication was rolled back")
        case final:
            return Ignored(f"late acknowledgement: the job is {final}")


def _conclude(job: Job, answer: Answer) -> Ended | Ignored:
    if job.result_msg_id == answer.message_id:
        if job.result_digest in {None, answer.digest}:
            return Ignored("result delivered again", expected=True)
        return Ignored(f"same message id, other content: {job.result_digest} stays, {answer.digest} is dropped")
    if job.status not in ACTIVE:
        return Ignored(f"late result: the job is {job.status}")
    if answer.status != "error":
        return Ended(answer.status, answer=answer)
    return Ended("error", answer.error_code or UNSPECIFIED, answer.error_message, answer)


@dataclass(frozen=True, slots=True)
class Inbox:
    """What one inbox, or the journal that one left behind, last reported; all moments by the database's clock."""

    alive_at: datetime
    applied_through: datetime
    listening_since: datetime | None


def present(inboxes: list[Inbox], now: datetime, grace: timedelta, observing_since: datetime) -> list[Inbox]:
    """Return the inboxes whose journal may still hold an answer.

    Silence counts only while we were there to hear it: after an outage of the database or of the watcher the grace
    begins anew, or the first tick would close what waits in a journal.
    """
    return [inbox for inbox in inboxes if now - max(inbox.alive_at, observing_since) <= grace]


def answers_applied_through(now: datetime, inboxes: list[Inbox]) -> datetime:
    """Return the moment before which no answer can lie in a journal; a deadline before it has passed for good."""
    return min([now, *(inbox.applied_through for inbox in inboxes)])


def unanswered_between(ack_timeout: timedelta, now: datetime, inboxes: list[Inbox]) -> tuple[datetime, datetime] | None:
    """Return the span of last publications whose acknowledgement would have been heard and applied by now.

    None: nobody was listening. With no inbox at all there is nobody to wait for, and every silence counts.
    """
    latest = answers_applied_through(now, inboxes) - ack_timeout
    if not inboxes:
        return datetime.min.replace(tzinfo=UTC), latest
    listening = [inbox.listening_since for inbox in inboxes if inbox.listening_since is not None]
    return (min(listening), latest) if listening else None


@dataclass(frozen=True, slots=True)
class Attempt:
    """A file's current attempt, as far as a retry must know it."""

    job_id: str
    status: Status
    attempt: int
    max_attempts: int
    file_status: FileStatus
    mapping_failed: bool


def refuse_retry(current: Attempt | None) -> Refusal | None:
    """Say why a file may not be tried again, or None: it failed, and attempts are left."""
    if current is None:
        return "NOT_FAILED"
    if current.status in ACTIVE:
        return "IN_PROGRESS"
    unmappable = current.status in SUCCEEDED and current.mapping_failed
    if current.file_status != "ERROR" or not (current.status in FAILED or unmappable):
        return "NOT_FAILED"
    return "MAX_ATTEMPTS" if current.attempt >= current.max_attempts else None
