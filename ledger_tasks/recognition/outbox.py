"""The outbox: queued and silent jobs come in, proven requests go out, and `published` is true when it is written."""

import logging
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from sqlalchemy import Connection, Engine

from contracts.recognition.request import encode_request, make_request, request_message_id
from contracts.wire import ContractError
from ledger_tasks.metrics import UNHEARD
from ledger_tasks.recognition import bus
from ledger_tasks.recognition.job import REQUEST_INVALID, Ended
from ledger_tasks.recognition.trouble import NO_RESPONDERS, SUBJECT_REFUSED, Met
from ledger_tasks.settings import ExchangeSettings
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.recognition_changes import write_changes
from ledger_tasks.storage.recognition_jobs import database_time, limit_lock_waits
from ledger_tasks.storage.recognition_publications import (
    Claimed,
    Publication,
    Silence,
    any_to_publish,
    claim_queued,
    claim_silent,
    set_published,
    set_republished,
)
from ledger_tasks.tracing import happened

BATCH: Final = 2000
"""Jobs of one transaction: enough that connection, proof and commit cost little for each, gone in well under 1 s."""

MAX_BATCHES: Final = 20
"""Batches of one tick; what is left belongs to the next one, so that no tick runs for ever."""

PIPELINES: Final = ("tabular", "image")
OUTBOX: Final = "publish"
"""Where we note that the server itself is away."""

_HEADER_BYTES: Final = 256
"""Room for the header that goes with each request."""

for _pipeline in PIPELINES:
    UNHEARD.labels(_pipeline)  # told as 0 from the beginning: Prometheus sees no growth in a counter that appears

log = logging.getLogger(__name__)


class Request(NamedTuple):
    """A claimed job and the message that asks for it."""

    claimed: Claimed
    publication: Publication
    message: bus.Outgoing


class Batch(NamedTuple):
    """What became of one transaction: requests taken, how many jobs were claimed, and how each subject was found."""

    taken: Sequence[Request]
    claimed: int
    met: Met


def publish_due(engine: Engine, settings: ExchangeSettings) -> tuple[int, Met]:
    """Publish what is queued and publish again what was not acknowledged.

    Return how many requests were taken, and what hindered us or nobody.
    Connects before it claims, so that no row stays locked for a server that is away: then everything stays as it was.
    """
    with transaction(engine) as connection:
        if not any_to_publish(connection, _silence(connection, settings)):
            return 0, {OUTBOX: None}
    published = 0
    met: dict[str, str | None] = {OUTBOX: None}
    try:
        with bus.session(settings, "ledger-outbox") as session:
            for _ in range(MAX_BATCHES):
                begun = time.time_ns()
                with transaction(engine) as connection:
                    batch = _publish_batch(connection, session, settings)
                happened("recognition.publish", (each.claimed.id for each in batch.taken), begun)
                published += len(batch.taken)
                met |= batch.met
                if batch.claimed < BATCH:
                    break
    except bus.BusDown as down:
        log.error("requests stay as they are: %s", down.detail)  # noqa: TRY400 (expected: no traceback)
        met[OUTBOX] = down.code
    return published, met


def _publish_batch(connection: Connection, session: bus.Session, settings: ExchangeSettings) -> Batch:
    """Claim, publish, prove, write."""
    limit_lock_waits(connection)
    silence = _silence(connection, settings)
    deadline = silence.now + timedelta(seconds=settings.reply_deadline_seconds)
    allowed = [each for each in PIPELINES if settings.subjects[f"{each}_request"] not in session.link.refused]
    claimed = claim_queued(connection, allowed, BATCH)
    claimed += claim_silent(connection, silence, allowed, BATCH - len(claimed)) if len(claimed) < BATCH else []
    requests, refused = _make_requests(claimed, settings, deadline, session.link.max_payload)
    unheard = session.publish([request.message for request in requests]) if requests else frozenset[str]()
    taken = [request for request in requests if request.message.subject not in session.link.refused]
    set_published(connection, [each.publication for each in taken if each.claimed.status == "queued"], deadline)
    set_republished(connection, [each.publication for each in taken if each.claimed.status == "published"])
    write_changes(connection, [(job.job, [change]) for job, change in refused])
    met = _look({request.message.subject for request in requests}, unheard, session.link.refused)
    _count_unheard(taken, unheard)
    return Batch(taken, len(claimed), met)


def _silence(connection: Connection, settings: ExchangeSettings) -> Silence:
    now = database_time(connection)
    return Silence(now - timedelta(seconds=settings.ack_timeout_seconds), now, settings.outbox_max_republish)


def _make_requests(
    claimed: Sequence[Claimed], settings: ExchangeSettings, deadline: datetime, max_payload: int
) -> tuple[list[Request], list[tuple[Claimed, Ended]]]:
    """Make a message of each job; a job that no message can be made of ends with its reason and blocks nobody."""
    subjects = settings.subjects
    requests: list[Request] = []
    refused: list[tuple[Claimed, Ended]] = []
    for job in claimed:
        try:
            requests.append(_make_request(job, subjects, job.reply_deadline or deadline, max_payload))
        except ContractError as error:
            ids = {"job_id": job.id, "file_id": job.file_id}
            log.error("no request can be made: %s", error.detail, extra=ids)  # noqa: TRY400 (expected: no traceback)
            refused.append((job, Ended("error", REQUEST_INVALID, error.detail)))
    return requests, refused


def _make_request(job: Claimed, subjects: Mapping[str, str], deadline: datetime, max_payload: int) -> Request:
    body = encode_request(
        make_request(
            job_id=job.id,
            file_id=job.file_id,
            pipeline=job.pipeline,
            attempt=job.attempt,
            bucket=job.bucket,
            key=job.key,
            original_name=job.original_name,
            content_type=job.content_type,
            size_bytes=job.size_bytes,
            sha256=job.sha256,
            requested_at=job.requested_at,
            reply_subject=subjects["result"],
            reply_deadline=deadline,
        )
    )
    if len(body) + _HEADER_BYTES > max_payload:
        raise ContractError("BODY_TOO_LARGE", f"{len(body)} bytes and a header, the server takes {max_payload}")
    subject, message_id = subjects[f"{job.pipeline}_request"], request_message_id(job.id, job.attempt)
    return Request(job, Publication(job.id, message_id, subject), bus.Outgoing(subject, body, message_id))


def _look(subjects: Collection[str], unheard: Collection[str], refused: Collection[str]) -> Met:
    """Say of each subject what hinders it, also in the log."""
    met: dict[str, str | None] = dict.fromkeys(subjects)
    for subject in sorted(unheard):
        log.warning("no service listens on %s", subject)
        met[subject] = NO_RESPONDERS
    for subject in sorted(set(refused).intersection(subjects)):
        log.error("the server refuses our publications to %s: its jobs stay queued", subject)
        met[subject] = SUBJECT_REFUSED
    return met


def _count_unheard(taken: Sequence[Request], unheard: Collection[str]) -> None:
    for pipeline, number in Counter(each.claimed.pipeline for each in taken if each.message.subject in unheard).items():
        UNHEARD.labels(pipeline).inc(number)
