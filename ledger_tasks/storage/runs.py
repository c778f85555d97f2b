"""What was done to a receipt: OCR runs, their passes and artifacts, and the audit of every event."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ARRAY, Connection, Text, any_, bindparam, select, update

from db.history import ocr_result_events, receipt_ocr_artifacts, receipt_ocr_passes, receipt_ocr_runs
from ledger_tasks.storage.rows import insert_new


@dataclass(frozen=True)
class RunRow:
    """One row of `budget.receipt_ocr_runs`."""

    run_uuid: str
    source_sha256: str
    source_reference: str
    persistence_mode: str
    request_id: str | None
    generation: int
    applied: bool
    attempt: int
    engine: str
    engine_version: str
    extractor_version: str
    cache_sha256: str
    processed_at: datetime
    processing_seconds: float
    timings: Mapping[str, float]
    pages: int
    collected_at: datetime


@dataclass(frozen=True)
class PassRow:
    """One row of `budget.receipt_ocr_passes`."""

    run_uuid: str
    pass_id: int
    source_sha256: str
    engine: str
    engine_version: str
    page_number: int
    dpi: int | None
    psm: int | None
    variant: str
    seconds: float
    status: str
    error_type: str | None
    line_count: int
    character_count: int
    confidence: float | None
    selected: bool


@dataclass(frozen=True)
class ArtifactRow:
    """One row of `budget.receipt_ocr_artifacts`."""

    run_uuid: str
    kind: str
    uri: str
    sha256: str
    media_type: str
    size_bytes: int


@dataclass(frozen=True)
class EventRow:
    """One row of `budget.ocr_result_events`; `failure` is set for run-failed alone."""

    message_id: str
    event_type: str
    run_uuid: str
    source_sha256: str
    source_reference: str
    payload_sha256: str
    outcome: str
    attempt: int
    failure: Mapping[str, Any] | None
    worker: Mapping[str, Any]
    trace_context: Mapping[str, Any]
    occurred_at: datetime
    collected_at: datetime


def digests(connection: Connection, message_ids: Sequence[str]) -> dict[str, str]:
    """Return the stored content digest by event id; an event that was never stored is absent."""
    columns = ocr_result_events.c
    found = connection.execute(
        select(columns.message_id, columns.payload_sha256).where(
            columns.message_id == any_(bindparam("ids", type_=ARRAY(Text)))
        ),
        {"ids": list(message_ids)},
    )
    return {row.message_id: row.payload_sha256 for row in found}


def record_events(connection: Connection, rows: Sequence[EventRow]) -> None:
    """Write the audit; an event id is written once."""
    insert_new(connection, ocr_result_events, [vars(row) for row in rows])


def record_runs(connection: Connection, rows: Sequence[RunRow]) -> None:
    """Write runs; an applied one takes that mark from the run of the same source that had it."""
    replaced = [row.source_sha256 for row in rows if row.applied]
    if replaced:
        columns = receipt_ocr_runs.c
        connection.execute(
            update(receipt_ocr_runs)
            .where(columns.source_sha256 == any_(bindparam("sources", type_=ARRAY(Text))), columns.applied)
            .values(applied=False),
            {"sources": replaced},
        )
    insert_new(connection, receipt_ocr_runs, [vars(row) for row in rows])


def record_passes(connection: Connection, rows: Sequence[PassRow]) -> None:
    """Write passes; they may come before their run."""
    insert_new(connection, receipt_ocr_passes, [vars(row) for row in rows])


def record_artifacts(connection: Connection, rows: Sequence[ArtifactRow]) -> None:
    """Write which stored files belong to which run."""
    insert_new(connection, receipt_ocr_artifacts, [vars(row) for row in rows])
