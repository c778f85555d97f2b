"""The walk of one receipt through OCR: a delivery comes in, one outcome comes out; nothing is published here."""

from contracts.receipts.codes import FailureCode
from contracts.receipts.work import decode_work
from contracts.wire import ContractError
from ledger_tasks.errors import Infrastructure
from ledger_tasks.files.locks import source_lock
from ledger_tasks.files.shared import CACHE_UNAVAILABLE, probe_room
from ledger_tasks.files.urgency import urgent
from ledger_tasks.files.volumes import prove
from ledger_tasks.messaging.delivery import Delivery
from ledger_tasks.messaging.message import YIELDED
from ledger_tasks.messaging.outcome import Again, Dead, Hold, Outcome, reason_of
from ledger_tasks.ocr.budget import open_account, pay
from ledger_tasks.ocr.case import Case, reason
from ledger_tasks.ocr.desk import Desk


def process(delivery: Delivery, desk: Desk) -> Outcome:
    """Return what becomes of a delivery: Done with its events, Again, Dead with its reason, or Hold.

    Work of a batch that was published before the newest receipts lets them pass, once and without an attempt.
    """
    try:
        work = decode_work(delivery.body)
    except ContractError as error:
        return Dead(reason_of(error.code, "ContractError", error.detail), delivery.headers)
    try:
        prove(desk.root, desk.cache)
        pay(desk.cache, desk.owed)
        token = urgent(desk.cache)
        if delivery.text(YIELDED) not in {None, token}:
            told = reason_of("NEW_RECEIPTS_FIRST", "Yield", "new receipts were published after this batch")
            return Again(delivery.body, {YIELDED: token}, told)
        with source_lock(desk.cache, work.source_sha256, seconds=desk.lock_seconds) as lock:
            return Case(desk, work, delivery, open_account(desk.cache, work, delivery, desk.now)).decide(lock)
    except Infrastructure as error:
        needs_room = error.code == CACHE_UNAVAILABLE
        return Hold(reason(error), delivery.headers, lambda: _is_back(desk, needs_room=needs_room))


def ids_of(delivery: Delivery) -> dict[str, str | None]:
    """Return what every log line about a delivery names: its receipt and request, nothing for a broken body."""
    try:
        work = decode_work(delivery.body)
    except ContractError:
        return {}
    return {"receipt": work.source_sha256, "request_id": work.request_id}


def internal_error(delivery: Delivery, desk: Desk) -> Dead:
    """Return the dead letter for a bug of ours, with run-failed when the message says whose it is."""
    detail = "an unexpected error; the traceback is in the worker's log"
    try:
        work = decode_work(delivery.body)
    except ContractError:
        return Dead(reason_of(FailureCode.INTERNAL_ERROR, "bug", detail), delivery.headers)
    return Case(desk, work, delivery, open_account(desk.cache, work, delivery, desk.now)).dead(
        FailureCode.INTERNAL_ERROR, "bug", detail
    )


def _is_back(desk: Desk, *, needs_room: bool) -> bool:
    """Look at the cause itself: without room to write, each try would run OCR and throw its result away."""
    try:
        prove(desk.root, desk.cache)
        if needs_room:
            probe_room(desk.cache)
    except Infrastructure:
        return False
    return True
