"""The walk of one result event: a delivery comes in, what becomes of the message comes out."""

import logging
from collections.abc import Callable
from typing import Final

from contracts.receipts.codes import FailureCode
from contracts.receipts.results import ResultEvent, decode_result
from contracts.wire import ContractError
from ledger_tasks.collector.outage import Outage
from ledger_tasks.collector.outcome import Outcome as Effect
from ledger_tasks.collector.outcome import Recorded, Rejected, Superseded
from ledger_tasks.errors import Infrastructure
from ledger_tasks.messaging.delivery import LAST_DELIVERY, Delivery
from ledger_tasks.messaging.message import RESULT_ATTEMPT
from ledger_tasks.messaging.outcome import Again, Dead, Done, Hold, Outcome, reason_of

log = logging.getLogger(__name__)

MAX_RESULT_ATTEMPTS: Final = 3
"""Tries of one event that meets a bug of ours; then a person must look."""


def collect_delivery(delivery: Delivery, apply: Callable[[ResultEvent], Effect], outage: Outage) -> Outcome:
    """Return Done when the event is committed, Dead when it can never be, Hold while the database is away."""
    try:
        event = decode_result(delivery.body)
    except ContractError as error:
        return Dead(reason_of(error.code, "ContractError", error.detail), delivery.headers)
    if delivery.delivery_count >= LAST_DELIVERY:
        detail = "the broker delivered it too often"
        return Dead(reason_of(FailureCode.DELIVERIES_EXHAUSTED, "Terminal", detail), delivery.headers)
    try:
        effect = apply(event)
    except Infrastructure as error:
        outage.began()
        return Hold(reason_of(error.code, "Infrastructure", error.detail), delivery.headers, outage.is_over)
    outage.ended()
    if isinstance(effect, Rejected):
        return Dead(reason_of(FailureCode.CONTRACT_INVALID, "Rejected", effect.reason), delivery.headers)
    if isinstance(effect, Superseded | Recorded):
        log.info("kept without effect", extra={"receipt": event.source_sha256, "outcome": type(effect).__name__})
    return Done()


def after_a_bug(delivery: Delivery) -> Again | Dead:
    """Return another attempt for an event that met a bug of ours; after the third, the dead letter."""
    attempt = max(delivery.number(RESULT_ATTEMPT), 1)
    reason = reason_of(FailureCode.INTERNAL_ERROR, "bug", "an unexpected error; its traceback is in the log")
    if attempt < MAX_RESULT_ATTEMPTS:
        return Again(delivery.body, {**delivery.headers, RESULT_ATTEMPT: attempt + 1}, reason)
    return Dead(reason, delivery.headers)
