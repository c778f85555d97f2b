"""PURE. An event, its reading and its judgement come in; the rows that keep it come out."""

from datetime import datetime
from hashlib import sha256
from typing import Final

from contracts.receipts.results import PassCompleted, ResultEvent, RunCompleted, RunFailed, digest_input
from contracts.receipts.work import RebuildCache, process, reprocess
from ledger_tasks.collector.judge import Judgement
from ledger_tasks.collector.reading import Reading
from ledger_tasks.storage.dead_letters import DeadLetter
from ledger_tasks.storage.evidence import Evidence
from ledger_tasks.storage.runs import ArtifactRow, EventRow, PassRow, RunRow

WORK_FAMILY: Final = "receipts.v1"
"""Family of the work messages, as dead letters name it."""


def digest(event: ResultEvent) -> str:
    """Return what tells two contents of one event id apart."""
    return sha256(digest_input(event)).hexdigest()


def event_row(event: ResultEvent, payload_sha256: str, judgement: Judgement, at: datetime) -> EventRow:
    """Return the audit of an event."""
    return EventRow(
        message_id=event.message_id,
        event_type=event.event_type,
        run_uuid=event.run_uuid,
        source_sha256=event.source_sha256,
        source_reference=event.source_reference,
        payload_sha256=payload_sha256,
        outcome=type(judgement).__name__.lower(),
        attempt=event.attempt,
        failure=_failure(event) if isinstance(event, RunFailed) else None,
        worker=event.worker.model_dump(mode="json"),
        trace_context=event.trace_context.model_dump(mode="json"),
        occurred_at=event.occurred_at,
        collected_at=at,
    )


def run_row(event: RunCompleted, at: datetime, *, applied: bool) -> RunRow:
    """Return the OCR run of a completed one."""
    run = event.payload.run
    return RunRow(
        run_uuid=event.run_uuid,
        source_sha256=event.source_sha256,
        source_reference=event.source_reference,
        persistence_mode=event.payload.persistence_mode,
        request_id=event.payload.request_id,
        applied=applied,
        attempt=event.attempt,
        collected_at=at,
        **dict(run),
    )


def pass_row(event: PassCompleted) -> PassRow:
    """Return one pass of a run."""
    return PassRow(
        run_uuid=event.run_uuid,
        pass_id=event.pass_id,
        source_sha256=event.source_sha256,
        **dict(event.payload.pass_),
    )


def artifact_rows(event: ResultEvent) -> list[ArtifactRow]:
    """Return the stored files that an event names."""
    return [ArtifactRow(run_uuid=event.run_uuid, **dict(artifact)) for artifact in event.artifacts]


def evidence_row(
    event: RunCompleted, reading: Reading, reasons: tuple[str, ...], twins: tuple[str, ...], status: str, at: datetime
) -> Evidence:
    """Return what the receipt says now."""
    return Evidence(
        source_sha256=event.source_sha256,
        source_reference=event.source_reference,
        values=reading.values,
        fields=reading.fields,
        items=reading.items,
        tax_lines=reading.tax_lines,
        payments=reading.payments,
        raw_text=reading.raw_text,
        extraction_status=status,
        extraction_confidence=reading.confidence,
        review_reasons=reasons,
        read_status=reading.read_status,
        read_reasons=reading.read_reasons,
        run_uuid=event.run_uuid,
        generation=event.payload.run.generation,
        updated_at=at,
        page_signature=reading.page_signature,
        possible_duplicate_of=twins,
    )


def dead_letter(event: RunFailed) -> DeadLetter:
    """Return the row of the dead copy that a run-failed event goes with."""
    failure = event.payload.failure
    return DeadLetter(
        id=event.run_uuid,
        family=WORK_FAMILY,
        message_id=_work_message_id(event),
        source_sha256=event.source_sha256,
        source_reference=event.source_reference,
        request_id=event.payload.request_id,
        code=str(failure.code),
        detail=failure.detail,
        dead_at=event.occurred_at,
    )


def _failure(event: RunFailed) -> dict[str, object]:
    payload = event.payload
    return payload.failure.model_dump(mode="json") | {
        "persistence_mode": payload.persistence_mode,
        "request_id": payload.request_id,
    }


def _work_message_id(event: RunFailed) -> str:
    source = event.source_sha256, event.source_reference
    request = event.payload.request_id
    match event.payload.persistence_mode:
        case "reprocess" if request:
            return reprocess(*source, request).message_id
        case "cache_only" if request:
            return RebuildCache(
                version=3, source_sha256=source[0], source_reference=source[1], attempt=1, request_id=request
            ).message_id
        case _:
            return process(*source).message_id
