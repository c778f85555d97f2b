"""The Celery shell of housekeeping: a tick comes in, sums and dead letters are brought up to date, old files go."""

import logging
from dataclasses import asdict

from celery import shared_task
from sqlalchemy import Engine

from ledger_tasks.dead_letters import reconcile
from ledger_tasks.errors import ConflictError, Infrastructure
from ledger_tasks.files.volumes import prove
from ledger_tasks.housekeeping.canary import fly
from ledger_tasks.housekeeping.sweep import is_due, sweep
from ledger_tasks.messaging.publish import BrokerAwayError, Publisher
from ledger_tasks.settings import PublisherSettings, load
from ledger_tasks.storage.counts import fold
from ledger_tasks.storage.database import connect

log = logging.getLogger(__name__)


@shared_task(name="receipts.reconcile_dead")
def reconcile_dead() -> None:
    """Bring the sums up to date and look into both dead queues. What is away is told to the log, and tried again."""
    settings = load(PublisherSettings)
    engine = connect(settings.database_url, pool_size=1)
    try:
        fold(engine)
        with Publisher(settings.rabbitmq_url.get_secret_value()) as publisher:
            found = reconcile(engine, publisher)
            _fly_canary(settings, engine, publisher)
    except (BrokerAwayError, ConflictError, Infrastructure) as away:
        log.warning("dead letters not looked at", extra={"detail": str(away)})
    else:
        log.info("dead letters looked at", extra={"letters": found})
        _sweep(settings, engine)
    finally:
        engine.dispose()


def _fly_canary(settings: PublisherSettings, engine: Engine, publisher: Publisher) -> None:
    root = settings.receipt_source_root
    if settings.canary_seconds is not None:
        prove(root, settings.home_budget_ocr_cache)
        if fly(engine, publisher, root, settings.canary_seconds):
            log.info("canary sent")


def _sweep(settings: PublisherSettings, engine: Engine) -> None:
    """Sweep once a day, in the tick of the same queue: a second task name in it would evict this one."""
    cache = settings.home_budget_ocr_cache
    try:
        prove(settings.receipt_source_root, cache)
        if is_due(cache):
            log.info("swept", extra=asdict(sweep(cache, engine, settings.retention_days)))
    except Infrastructure as away:
        log.warning("not swept", extra={"detail": away.detail})
