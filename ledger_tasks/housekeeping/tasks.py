"""The Celery shell of housekeeping: a tick comes in, dead letters get the rows that are missing."""

import logging

from celery import shared_task

from ledger_tasks.dead_letters import reconcile
from ledger_tasks.errors import ConflictError, Infrastructure
from ledger_tasks.messaging.publish import BrokerAwayError, Publisher
from ledger_tasks.settings import PublisherSettings, load
from ledger_tasks.storage.database import connect

log = logging.getLogger(__name__)


@shared_task(name="receipts.reconcile_dead")
def reconcile_dead() -> None:
    """Look into both dead queues once. What is away is told to the log: the next tick tries again."""
    settings = load(PublisherSettings)
    engine = connect(settings.database_url, pool_size=1)
    try:
        with Publisher(settings.rabbitmq_url.get_secret_value()) as publisher:
            found = reconcile(engine, publisher)
    except (BrokerAwayError, ConflictError, Infrastructure) as away:
        log.warning("dead letters not looked at", extra={"detail": str(away)})
    else:
        log.info("dead letters looked at", extra={"letters": found})
    finally:
        engine.dispose()
