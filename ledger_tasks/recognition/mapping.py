"""The mapper, the only reader of results: successful jobs come in, documents or a mapping error go out."""

import logging
import time
from datetime import date, timedelta
from typing import Any, Final, NamedTuple

from sqlalchemy import Engine, exc

from contracts.recognition.result_v1 import ResultV1
from contracts.recognition.result_v2 import Period, ResultV2
from contracts.recognition.versions import UnknownMajor, decode_result
from contracts.recognition.words import Row, legacy_warning
from contracts.wire import ContractError
from ledger_tasks.errors import Infrastructure
from ledger_tasks.objects.store import NoObject, ObjectStore, ObjectTooLarge, StoreAway, StoreRefuses, StoreTrouble
from ledger_tasks.recognition.text import storable
from ledger_tasks.recognition.trouble import Met
from ledger_tasks.settings import ExchangeSettings
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.recognition_documents import (
    NewDocument,
    Waiting,
    add_warnings,
    insert_documents,
    load_waiting,
    lock_waiting,
    set_mapped,
)
from ledger_tasks.storage.recognition_jobs import limit_lock_waits
from ledger_tasks.tracing import happened

PAGE: Final = 100
"""Waiting results that are looked up at once."""

AWAY_AFTER: Final = 3
"""Results that the store did not give us, after which a tick ends: each may have taken a time limit of the store."""

MAPPER: Final = "map"
"""Where we note that results cannot be read."""

log = logging.getLogger(__name__)


class Mapped(NamedTuple):
    """What a result file says, in our terms."""

    documents: list[NewDocument]
    warnings: list[dict[str, Any]]
    statements_version: str | None


class Unmappable(NamedTuple):
    """Why it cannot become documents."""

    reason: str


def map_results(engine: Engine, store: ObjectStore, settings: ExchangeSettings) -> tuple[int, Met]:
    """Map every waiting result once; return how many files ended, and what hindered us.

    What cannot be read now is left for the next tick. A store that refuses us a result is asked for as long as a
    service may take to answer; then the file ends with that reason, and can be tried again.
    """
    patience = timedelta(seconds=settings.reply_deadline_seconds)
    ended = 0
    met: dict[str, str | None] = {MAPPER: None}
    away = 0
    last: Waiting | None = None
    while True:
        with transaction(engine) as connection:
            page = load_waiting(connection, last, PAGE)
        for waiting in page:
            try:
                ended += _map(engine, store, waiting, settings.recognition_max_result_bytes, patience)
            except Infrastructure as error:
                log.warning("a result waits for the next tick: %s", error, extra={"job_id": waiting.job_id})
                if isinstance(error, StoreTrouble):
                    met[MAPPER] = error.code
                away += isinstance(error, StoreAway)
                if away == AWAY_AFTER:
                    return ended, met
        if len(page) < PAGE:
            return ended, met
        last = page[-1]


def _map(engine: Engine, store: ObjectStore, waiting: Waiting, limit: int, patience: timedelta) -> bool:
    begun = time.time_ns()
    outcome: Mapped | Unmappable
    try:
        outcome = read_result(store, waiting, limit)
    except StoreRefuses as error:
        if waiting.waited < patience:
            raise
        outcome = Unmappable(f"the store refuses us the result ({error.code})")
    try:
        ended = _write(engine, waiting, outcome)
    except (exc.DataError, exc.IntegrityError) as error:
        ended = _write(engine, waiting, Unmappable(f"the result cannot be stored: {type(error).__name__}"))
    if ended:
        happened("recognition.map", [waiting.job_id], begun)
    return ended


def read_result(store: ObjectStore, waiting: Waiting, limit: int) -> Mapped | Unmappable:
    """Read a result file by its own MAJOR. Raises StoreTrouble."""
    if waiting.bucket is None or waiting.key is None:
        return Unmappable("the service named no result")
    try:
        return _mapped(store.get(waiting.bucket, waiting.key, limit), limit)
    except NoObject:
        return Unmappable("the result is absent")
    except ObjectTooLarge as error:
        return Unmappable(f"the result is too large: {error}")
    except ContractError as error:
        return Unmappable(f"the result cannot be read: {error}")


def _mapped(body: bytes, limit: int) -> Mapped | Unmappable:
    match decode_result(body, limit):
        case ResultV1() as result:
            return _map_v1(result)
        case ResultV2() as result:
            return _map_v2(result)
        case UnknownMajor(version):
            return Unmappable(f"the result has the unknown MAJOR {version}")


def _map_v1(result: ResultV1) -> Mapped:
    documents = [
        _document(each.rows, kind=each.kind, title=each.title, currency=None, period_from=None, period_to=None)
        for each in result.documents
    ]
    return Mapped(documents, [legacy_warning(each) for each in result.warnings], None)


def _map_v2(result: ResultV2) -> Mapped:
    documents = [
        _document(each.rows, kind=each.kind, title=each.title, currency=each.currency, **_days(each.period))
        for each in result.statements
    ]
    warnings = [each.model_dump(mode="json", exclude_unset=True) for each in result.warnings]
    return Mapped(documents, warnings, result.service.statements_version)


def _document(rows: tuple[Row, ...], **columns: object) -> NewDocument:
    return NewDocument(storable(columns), [_cells(row) for row in rows])


def _days(period: Period) -> dict[str, date | None]:
    first, last = (date.fromisoformat(day) if day else None for day in (period.from_, period.to))
    return {"period_from": first, "period_to": last}


def _cells(row: Row) -> dict[str, str | None]:
    cells: dict[str, str | None] = {"account": storable(row.account), "name": storable(row.name)}
    for part in ("opening", "turnover", "closing"):
        sides = getattr(row, part)
        cells |= {f"{part}_debit": sides.debit, f"{part}_credit": sides.credit}
    return cells


def _write(engine: Engine, waiting: Waiting, outcome: Mapped | Unmappable) -> bool:
    """End the file in one transaction, unless somebody else has; say whether it was us."""
    with transaction(engine) as connection:
        limit_lock_waits(connection)
        file_id = lock_waiting(connection, waiting.job_id)
        if file_id is None:
            return False
        if isinstance(outcome, Unmappable):
            set_mapped(connection, file_id, "ERROR", outcome.reason)
        else:
            insert_documents(connection, file_id, waiting.job_id, outcome.documents)
            add_warnings(connection, waiting.job_id, storable(outcome.warnings), storable(outcome.statements_version))
            set_mapped(connection, file_id, "PROCESSED" if waiting.status == "done" else "NEEDS_CHECK", None)
    ids = {"job_id": waiting.job_id, "file_id": file_id}
    if isinstance(outcome, Unmappable):
        log.warning("a result became no documents: %s", outcome.reason, extra=ids)
    return True
