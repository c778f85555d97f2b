"""The three ticks, whoever runs them: Celery tasks from beat, or `ledger serve` itself."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Engine

from ledger_tasks.objects.store import ObjectStore
from ledger_tasks.recognition.mapping import MAPPER, map_results
from ledger_tasks.recognition.outbox import OUTBOX, publish_due
from ledger_tasks.recognition.trouble import Met
from ledger_tasks.recognition.watchdog import close_overdue, close_unanswered
from ledger_tasks.settings import ExchangeSettings
from ledger_tasks.storage.database import connect, transaction
from ledger_tasks.storage.recognition_inboxes import record_tick
from ledger_tasks.storage.recognition_jobs import limit_lock_waits
from ledger_tasks.storage.recognition_troubles import note_troubles

PUBLISH: Final = OUTBOX
WATCH: Final = "watch"
MAP: Final = MAPPER

LONGEST_GAP_SECONDS: Final = 60
"""A tick that comes later than this, two periods of the slowest, may have missed the end of an inbox."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a tick needs."""

    settings: ExchangeSettings
    engine: Engine
    store: ObjectStore


def open_exchange(settings: ExchangeSettings) -> Exchange:
    """Make what the ticks of one process share; nothing is opened yet. Raises ConfigurationError."""
    return Exchange(settings, connect(settings.database_url), ObjectStore(settings))


def publish_outbox(exchange: Exchange) -> int:
    """Publish, publish again, give up. Raises Infrastructure while the database is away."""
    since = _begin(exchange, PUBLISH)
    published, met = publish_due(exchange.engine, exchange.settings)
    closed = close_unanswered(exchange.engine, exchange.settings, since)
    _end(exchange, met)
    return published + closed


def watch_deadlines(exchange: Exchange) -> int:
    """Time out what is overdue. Raises Infrastructure while the database is away."""
    return close_overdue(exchange.engine, exchange.settings, _begin(exchange, WATCH))


def map_documents(exchange: Exchange) -> int:
    """Turn results into documents. Raises Infrastructure while the database is away."""
    _begin(exchange, MAP)
    ended, met = map_results(exchange.engine, exchange.store, exchange.settings)
    _end(exchange, met)
    return ended


def timetable(settings: ExchangeSettings) -> dict[str, tuple[float, Callable[[Exchange], int]]]:
    """Return the period in seconds and the function of each tick."""
    return {
        PUBLISH: (settings.outbox_poll_seconds, publish_outbox),
        WATCH: (settings.recognition_watch_seconds, watch_deadlines),
        MAP: (settings.recognition_map_seconds, map_documents),
    }


def _begin(exchange: Exchange, name: str) -> datetime:
    """Note the tick; return since when it has been running without a gap that could hide an inbox's silence."""
    longest_gap = timedelta(seconds=LONGEST_GAP_SECONDS)
    with transaction(exchange.engine) as connection:
        return record_tick(connection, name, longest_gap)


def _end(exchange: Exchange, met: Met) -> None:
    """Note what hindered the tick, for /healthcheck and the operators."""
    with transaction(exchange.engine) as connection:
        limit_lock_waits(connection)
        note_troubles(connection, met)
