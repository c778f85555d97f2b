"""The deadline watcher: overdue and unanswered jobs come in, `timeout` and `dlq` go out, but no answer is overtaken."""

import logging
import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, Engine

from ledger_tasks.recognition.job import (
    NO_ACK,
    TIMEOUT,
    Ended,
    Inbox,
    Job,
    answers_applied_through,
    present,
    unanswered_between,
)
from ledger_tasks.settings import ExchangeSettings
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.recognition_changes import write_changes
from ledger_tasks.storage.recognition_inboxes import load_inboxes
from ledger_tasks.storage.recognition_jobs import claim_overdue, claim_unanswered, database_time, limit_lock_waits
from ledger_tasks.tracing import happened

BATCH: Final = 1000
"""Jobs of one transaction."""

log = logging.getLogger(__name__)


def close_overdue(engine: Engine, settings: ExchangeSettings, observing_since: datetime) -> int:
    """Time out the jobs whose deadline has passed; return how many."""
    closed = 0
    while True:
        with transaction(engine) as connection:
            limit_lock_waits(connection)
            # Inboxes first: what they had applied when we looked is committed when we then lock the jobs.
            inboxes = _present(connection, settings, observing_since)
            overdue = claim_overdue(connection, answers_applied_through(database_time(connection), inboxes), BATCH)
            message = f"no result within {settings.reply_deadline_seconds:g} s"
            _close(connection, overdue, Ended("timeout", TIMEOUT, message))
        closed += len(overdue)
        if len(overdue) < BATCH:
            return closed


def close_unanswered(engine: Engine, settings: ExchangeSettings, observing_since: datetime) -> int:
    """Give up the jobs that nobody acknowledged after the last republication; return how many."""
    with transaction(engine) as connection:
        limit_lock_waits(connection)
        inboxes = _present(connection, settings, observing_since)
        now = database_time(connection)
        between = unanswered_between(timedelta(seconds=settings.ack_timeout_seconds), now, inboxes)
        if between is None:
            return 0
        given_up = claim_unanswered(connection, between, now, settings.outbox_max_republish, BATCH)
        message = f"no service acknowledged {settings.outbox_max_republish + 1} publications"
        _close(connection, given_up, Ended("dlq", NO_ACK, message))
    return len(given_up)


def _present(connection: Connection, settings: ExchangeSettings, observing_since: datetime) -> list[Inbox]:
    grace = timedelta(seconds=settings.recognition_inbox_grace_seconds)
    return present(load_inboxes(connection), database_time(connection), grace, observing_since)


def _close(connection: Connection, jobs: Sequence[Job], change: Ended) -> None:
    begun = time.time_ns()
    write_changes(connection, [(job, [change]) for job in jobs])
    happened("recognition.give_up", (job.id for job in jobs), begun, status=change.status)
    for job in jobs:
        ids = {"job_id": job.id, "file_id": job.file_id}
        log.warning("job closed as %s: %s", change.status, change.error_code, extra=ids)
