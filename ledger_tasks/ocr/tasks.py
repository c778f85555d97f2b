"""The Celery shell of stage 2: unpack a delivery, process it, settle it."""

import logging
import os
import socket
from functools import cache, partial
from typing import Any

from celery import shared_task, signals
from celery.exceptions import Reject

from contracts.receipts.results import Worker
from ledger_tasks.clock import now
from ledger_tasks.files.attempts import mark_stopping
from ledger_tasks.files.hints import read_hints
from ledger_tasks.logs import bound
from ledger_tasks.messaging.delivery import Delivery
from ledger_tasks.messaging.message import PUBLICATION
from ledger_tasks.messaging.publish import Publisher
from ledger_tasks.messaging.settle import Patience, RequeueError, conclude, stopping
from ledger_tasks.messaging.topology import RECEIPTS
from ledger_tasks.ocr.desk import Desk
from ledger_tasks.ocr.open_starts import OpenStarts
from ledger_tasks.ocr.process import ids_of, internal_error, process
from ledger_tasks.ocr.reading import Reader, Reading
from ledger_tasks.settings import OcrSettings, load
from ledger_tasks.tracing import span, trace_of

log = logging.getLogger(__name__)
open_starts = OpenStarts()


@shared_task(name="receipts.process")
def process_delivery(call: dict[str, Any]) -> None:
    """Process one delivery of receipts.v1.work; returning acknowledges it."""
    delivery = Delivery.from_call(call)
    settings, desk, publisher = _bench()
    publication = delivery.text(PUBLICATION)
    with (
        bound(message_id=delivery.message_id, delivery_count=delivery.delivery_count, **ids_of(delivery)),
        span("receipts.process", trace_of(publication) if publication else None, message_id=delivery.message_id),
    ):
        try:
            outcome = conclude(
                partial(process, delivery, desk),
                partial(internal_error, delivery, desk),
                RECEIPTS,
                delivery,
                publisher,
                Patience(settings.hold_seconds),
            )
        except RequeueError as error:
            raise Reject(str(error), requeue=True) from None
        log.info("settled", extra={"outcome": type(outcome).__name__})


@cache
def _bench() -> tuple[OcrSettings, Desk, Publisher]:
    """Make this child's own reader and publisher, after the fork, at its first delivery."""
    settings = load(OcrSettings)
    reader = Reader(
        settings.ocr_engine,
        pages_per_reader=settings.ocr_pages_per_reader,
        memory_megabytes=settings.ocr_memory_megabytes,
    )
    desk = Desk(
        root=settings.receipt_source_root,
        cache=settings.home_budget_ocr_cache,
        artifact_prefix=settings.ocr_artifact_uri_prefix,
        lock_seconds=settings.lock_seconds,
        read=partial(_read, reader, settings),
        worker=Worker(service="ocr", host=socket.gethostname(), pid=os.getpid()),
        now=now,
        open_start=partial(_tell_start, settings),
    )
    return settings, desk, Publisher(settings.rabbitmq_url.get_secret_value())


def _read(reader: Reader, settings: OcrSettings, document: bytes) -> Reading:
    hints = read_hints(settings.home_budget_ocr_cache)
    return reader.read(document, timeout=settings.ocr_timeout_seconds, hints=hints)


def _tell_start(settings: OcrSettings, sha256: str, start: str | None) -> None:
    open_starts.tell(sha256, start)
    if start is not None and stopping.is_set():  # SIGTERM came first, and the main process did not know this start
        mark_stopping(settings.home_budget_ocr_cache, sha256, start)


@signals.worker_shutting_down.connect
def _mark_open_starts(**_: Any) -> None:
    stopping.set()  # before the look: a start that the look misses sees this
    open_starts.mark_stopping(load(OcrSettings).home_budget_ocr_cache)


@signals.worker_shutdown.connect
def _forget_open_starts(**_: Any) -> None:
    open_starts.remove()
