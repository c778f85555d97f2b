"""What was done to a receipt: OCR runs, their passes and artifacts, and the audit of every event."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

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


_DIGESTS: Final = select(ocr_result_events.c.message_id, ocr_result_events.c.payload_sha256).where(
    ocr_result_events.c.message_id == any_(bindparam("ids", type_=ARRAY(Text)))
)

_NO_LONGER_APPLIED: Final = (
    update(receipt_ocr_runs)
    .where(
        receipt_ocr_runs.c.source_sha256 == any_(bindparam("sources", type_=ARRAY(Text))), receipt_ocr_runs.c.applied
    )
    .values(applied=False)
)


def digests(connection: Connection, message_ids: Sequence[str]) -> dict[str, str]:
    """Return the stored content digest by event id; an event that was never stored is absent."""
    found = connection.execute(_DIGESTS, {"ids": list(message_ids)})
    return {row.message_id: row.payload_sha256 for row in found}


def record(
    connection: Connection,
    *,
    runs: Sequence[RunRow],
    passes: Sequence[PassRow],
    artifacts: Sequence[ArtifactRow],
    events: Sequence[EventRow],
) -> None:
    """Write what was done; each key is written once. An applied run takes that mark from the one that had it."""
    replaced = [row.source_sha256 for row in runs if row.applied]
    if replaced:
        connection.execute(_NO_LONGER_APPLIED, {"sources": replaced})
    insert_new(
        connection,
        {
            receipt_ocr_runs: [vars(row) for row in runs],
            receipt_ocr_passes: [vars(row) for row in passes],
            receipt_ocr_artifacts: [vars(row) for row in artifacts],
            ocr_result_events: [vars(row) for row in events],
        },
    )
