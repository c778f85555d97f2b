"""The Celery shell of stage 3: unpack a delivery, collect it together with those that wait, settle it."""

import threading
from collections.abc import Iterable
from functools import cache, partial
from typing import Any

from celery import shared_task
from celery.exceptions import Reject

from contracts.receipts.results import ResultEvent
from ledger_tasks.clock import now
from ledger_tasks.collector.apply import collect
from ledger_tasks.collector.delivery import after_a_bug, collect_delivery
from ledger_tasks.collector.group import GroupCommitter
from ledger_tasks.collector.outage import Outage
from ledger_tasks.collector.outcome import Outcome
from ledger_tasks.logs import bound
from ledger_tasks.messaging.delivery import Delivery
from ledger_tasks.messaging.flight import Fate
from ledger_tasks.messaging.message import Message
from ledger_tasks.messaging.publish import Publisher
from ledger_tasks.messaging.settle import Patience, RequeueError, conclude
from ledger_tasks.messaging.topology import RESULTS
from ledger_tasks.settings import CollectorSettings, load
from ledger_tasks.storage.database import connect, is_reachable
from ledger_tasks.tracing import span


@shared_task(name="receipts.collect")
def collect_call(call: dict[str, Any]) -> None:
    """Collect one delivery of ocr.results.v1.work; returning acknowledges it."""
    delivery = Delivery.from_call(call)
    desk = _desk()
    with bound(message_id=delivery.message_id, delivery_count=delivery.delivery_count):
        try:
            conclude(
                partial(collect_delivery, delivery, desk.apply, desk.outage),
                partial(after_a_bug, delivery),
                RESULTS,
                delivery,
                desk.publisher,
                Patience(desk.settings.hold_seconds),
            )
        except RequeueError as error:
            raise Reject(str(error), requeue=True) from None


class _SharedPublisher(Publisher):
    """One connection for all threads: they only publish when something went wrong."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self._turn = threading.Lock()

    def publish(self, messages: Iterable[Message]) -> Fate:
        """Publish in turn."""
        with self._turn:
            return super().publish(messages)


class _Desk:
    """What the threads of this process share."""

    def __init__(self, settings: CollectorSettings) -> None:
        engine = connect(settings.database_url, pool_size=2)
        self.settings = settings
        self.committer = GroupCommitter(
            lambda events: collect(events, engine, now()), limit=settings.collector_prefetch
        )
        self.outage = Outage(partial(is_reachable, engine))
        self.publisher = _SharedPublisher(settings.rabbitmq_url.get_secret_value())

    def apply(self, event: ResultEvent) -> Outcome:
        """Commit an event together with those that wait, as a part of its receipt's trace."""
        ids = {"receipt": event.source_sha256, "run": event.run_uuid, "event": event.name}
        with bound(**ids), span("receipts.collect", event.trace_context.traceparent, **ids):
            return self.committer.apply(event)


_making = threading.Lock()


def _desk() -> _Desk:
    with _making:
        return _made()


@cache
def _made() -> _Desk:
    return _Desk(load(CollectorSettings))
