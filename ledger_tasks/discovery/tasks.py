"""The Celery shell of stage 1: a tick comes in, a scan runs, its numbers go to the log."""

import logging

from celery import shared_task

from ledger_tasks.discovery.scan import Locked
from ledger_tasks.discovery.start import run_scan
from ledger_tasks.errors import LedgerError
from ledger_tasks.settings import PublisherSettings, load

log = logging.getLogger(__name__)


@shared_task(name="receipts.discover")
def discover() -> None:
    """Scan once. What is away is told to the log: the next tick tries again, and this one is used up."""
    settings = load(PublisherSettings)
    try:
        result = run_scan(settings, settings.receipt_source_root, patience=0, on_invalid=_warn)
    except LedgerError as error:
        log.error("scan impossible", extra={"detail": error.message})  # noqa: TRY400 (expected: no traceback)
        return
    if isinstance(result, Locked):
        log.info("scan skipped: LOCKED, another one is running")
        return
    log.info("scan finished", extra=result.summary.document())
    if result.trouble:
        log.error("scan ended early", extra={"detail": result.trouble.message})


def _warn(reference: str, reason: str) -> None:
    log.warning("invalid file", extra={"reference": ascii(reference), "reason": reason})
