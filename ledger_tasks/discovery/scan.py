"""One scan: a receipt root comes in, every receipt that needs work is published once, and the numbers go out."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Engine

from ledger_tasks.clock import new_id, now
from ledger_tasks.discovery.epoch import begin_epoch, is_epoch_over
from ledger_tasks.discovery.publishing import trouble_of
from ledger_tasks.discovery.settling import Settling
from ledger_tasks.discovery.summary import Summary
from ledger_tasks.discovery.survey import Survey
from ledger_tasks.discovery.teaching import LESSONS, learn
from ledger_tasks.errors import DependencyDownError, Infrastructure, LedgerError, PartlyConfirmedError
from ledger_tasks.files.hints import write_hints
from ledger_tasks.messaging.publish import BrokerAwayError, NotConfirmedError, Publisher
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.lessons import lessons
from ledger_tasks.storage.publications import end_all, end_overdue
from ledger_tasks.storage.scanning import count, find_open, scanning
from ledger_tasks.storage.scans import record_scan

PAGE: Final = 1000
"""Receipts between planning their leases and confirming them: a crash leaves so many to wait for five minutes."""

RERUN: Final = "ledger receipts publish"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Limits:
    """The numbers of a scan, in seconds; `patience` is how long it waits for files that still grow."""

    max_attempts: int
    quiet: float
    lease: float
    patience: float
    ignore_leases: bool = False


@dataclass(frozen=True, slots=True)
class Scanned:
    """What a scan did, and what ended it early, if anything did."""

    summary: Summary
    trouble: LedgerError | None


@dataclass(frozen=True, slots=True)
class Locked:
    """Another scan is running: nothing was done."""


def scan(
    root: Path,
    cache: Path,
    engine: Engine,
    publisher: Publisher,
    limits: Limits,
    on_progress: Callable[[Summary], None],
    on_invalid: Callable[[str, str], None],
) -> Scanned | Locked:
    """Publish what is needed below a proven root. Trouble of broker, database or root comes back in the result.

    `on_invalid` is told the reference and the reason of each file that cannot be a receipt.
    """
    summary = Summary()
    try:
        with scanning(engine) as view:
            if view is None:
                return Locked()
            _end_leases(engine, publisher, limits)
            _teach(engine, cache)
            Survey(view, engine, root, cache, limits.quiet, limits.patience, summary, on_progress, on_invalid).run()
            settling = Settling(cache, engine, publisher, limits.max_attempts, limits.ignore_leases, summary)
            trouble = _publish(view, settling, on_progress)
            if trouble is None:
                with transaction(engine) as connection:
                    record_scan(connection, summary.document() | {"unsupported": summary.unsupported})
            return Scanned(summary, trouble)
    except (Infrastructure, BrokerAwayError, NotConfirmedError) as trouble:
        return Scanned(summary, away(trouble, summary.published))


def _end_leases(engine: Engine, publisher: Publisher, limits: Limits) -> None:
    """End every lease when the broker lost what they stand for, else those whose time is over."""
    over = is_epoch_over(publisher)
    with transaction(engine) as connection:
        ended = end_all(connection) if over else end_overdue(connection, limits.lease)
    if over:
        begin_epoch(publisher, new_id())
        level = logging.WARNING if ended else logging.INFO
        log.log(level, "the broker holds nothing of ours: a new epoch begins, %d leases ended", ended)


def _teach(engine: Engine, cache: Path) -> None:
    """Let the readers know what people confirmed, before work goes out to them."""
    with transaction(engine) as connection:
        said = lessons(connection, LESSONS)
    if write_hints(cache, learn(said, now().date())):
        log.info("hints written", extra={"lessons": len(said)})


def _publish(view: Connection, settling: Settling, on_progress: Callable[[Summary], None]) -> LedgerError | None:
    finished = count(view)
    for page in find_open(view, PAGE):
        finished -= len(page)
        fate = settling.publish(page)
        on_progress(settling.summary)
        if not fate.complete:
            return trouble_of(fate, settling.summary.published, rerun=RERUN)
    settling.summary.skipped += finished
    return None


def away(trouble: Infrastructure | BrokerAwayError | NotConfirmedError, published: int) -> LedgerError:
    """Return how a scan that met this trouble ends, after so many confirmed publications."""
    what = trouble.detail if isinstance(trouble, Infrastructure) else "the broker cannot be reached"
    kind = PartlyConfirmedError if published else DependencyDownError
    return kind(
        f"the scan ended early: {what} ({published} confirmed before)",
        remedy="Wait until it is back, then run the same again.",
        next_command=RERUN,
    )
