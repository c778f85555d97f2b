"""How the whole system stands, for Prometheus: database, broker and inbox are asked; gauges go out."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final

from fastapi import APIRouter, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy import Engine

from ledger_tasks.clock import now
from ledger_tasks.errors import Infrastructure
from ledger_tasks.files.canary import REFERENCE
from ledger_tasks.messaging.counts import BrokerView, QueueCount, count_queues
from ledger_tasks.messaging.publish import BrokerAwayError, Publisher
from ledger_tasks.messaging.topology import EPOCH, topology
from ledger_tasks.metrics import STATES
from ledger_tasks.recognition.ticks import PUBLISH
from ledger_tasks.recognition.trouble import FORGOTTEN_AFTER, Trouble
from ledger_tasks.settings import ServeSettings
from ledger_tasks.storage.canary import unseen_seconds
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.page_lists import load_dead_groups, load_file_counts
from ledger_tasks.storage.page_overview import load_counts
from ledger_tasks.storage.recognition_inboxes import load_backlog
from ledger_tasks.storage.recognition_troubles import load_troubles
from ledger_tasks.storage.scans import last_scan
from ledger_tasks.web.background import Background
from ledger_tasks.web.security import Reader

router = APIRouter(tags=["metrics"])
Samples = dict[str, float | dict[str, float] | None]
"""Metric -> its value, its values by label, or None for an age of nothing."""

_UP: Final = {True: 1.0, False: 0.0}


@router.get("/metrics", response_class=Response)
def metrics(request: Request, _caller: Reader) -> Response:
    """Return the metrics of the system and of this process in the text format of Prometheus."""
    state = request.app.state
    found = {
        **_database(state.exchange.engine, now()),
        **_broker(state.settings),
        **_inbox(getattr(state, "background", None)),
        "ledger_nats_credentials_seconds": state.settings.credentials_last(now()),
    }
    registry = CollectorRegistry()
    registry.register(_Found(found))
    return Response(generate_latest(registry) + generate_latest(REGISTRY), media_type=CONTENT_TYPE_LATEST)


def queue_counts(url: str) -> dict[str, QueueCount] | None:
    """Return the counts of our queues, None when the broker is away."""
    names = [spec.name for spec in topology() if spec.name != EPOCH]
    try:
        with Publisher(url) as opened:
            return count_queues(opened.connection(), names, BrokerView({}, None, None))
    except (BrokerAwayError, OSError):
        return None


def _database(engine: Engine, at: datetime) -> Samples:
    try:
        with transaction(engine) as connection:
            counts, scan = load_counts(connection, REFERENCE), last_scan(connection)
            letters, files = load_dead_groups(connection), load_file_counts(connection)
            backlog, canary = load_backlog(connection, PUBLISH), unseen_seconds(connection, REFERENCE)
            troubles = load_troubles(connection, FORGOTTEN_AFTER)
    except Infrastructure:
        return {"ledger_database_up": 0}
    return {
        "ledger_database_up": 1,
        "ledger_receipts": {
            "done": counts.done,
            "review": counts.review,
            "failed": counts.failed,
            "in_flight": counts.in_flight,
            "waiting": counts.unaccounted,
        },
        "ledger_receipts_ended": counts.done + counts.review + counts.failed,
        "ledger_in_flight_oldest_seconds": _age(counts.in_flight_since, at),
        "ledger_review_oldest_seconds": _age(counts.review_since, at),
        "ledger_dead_letters": {row.code: row.letters for row in letters},
        "ledger_dead_letter_oldest_seconds": _age(counts.dead_since, at),
        "ledger_last_scan_seconds": scan.seconds if scan else None,
        "ledger_scan_files": dict(scan.summary) if scan else {},
        "ledger_canary_seconds": canary,
        "ledger_expenses_unexported": counts.unexported,
        "ledger_recognition_files": {row.status: row.files for row in files},
        "ledger_recognition_oldest_queued_seconds": backlog.oldest_queued_seconds,
        "ledger_recognition_last_tick_seconds": backlog.last_tick_seconds,
        "ledger_recognition_trouble_seconds": _longest(troubles),
    }


def _broker(settings: ServeSettings) -> Samples:
    if settings.rabbitmq_url is None:
        return {}
    queues = queue_counts(settings.rabbitmq_url.get_secret_value())
    if queues is None:
        return {"ledger_broker_up": 0}
    return {
        "ledger_broker_up": 1,
        "ledger_queue_ready": {name: count.ready for name, count in queues.items()},
        "ledger_queue_consumers": {name: count.consumers for name, count in queues.items()},
    }


def _inbox(running: Background | None) -> Samples:
    if running is None or running.inbox is None:
        return {}
    return {"ledger_nats_up": _UP[running.inbox.hears], "ledger_inbox_spool": running.inbox.backlog()}


def _longest(troubles: list[Trouble]) -> dict[str, float]:
    return {each.code: each.seconds for each in sorted(troubles, key=lambda trouble: trouble.seconds)}


def _age(since: datetime | None, at: datetime) -> float | None:
    return None if since is None else (at - since).total_seconds()


class _Found(Collector):
    """What was found, as gauges of the names that are promised."""

    def __init__(self, found: Samples) -> None:
        self._found = found

    def collect(self) -> Iterator[Metric]:
        """Yield one family per metric that has a value."""
        for name, state in STATES.items():
            family = GaugeMetricFamily(name, state.help, labels=state.labels)
            for labels, value in _values(self._found.get(name)):
                family.add_metric(labels, value)
            yield family


def _values(found: float | dict[str, float] | None) -> Iterable[tuple[tuple[str, ...], float]]:
    match found:
        case None:
            return ()
        case dict():
            return [((label,), float(value)) for label, value in found.items()]
        case _:
            return [((), float(found))]
