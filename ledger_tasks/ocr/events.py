"""PURE. From one cached run and the request that asked for it to the messages that tell the collector."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from contracts.identity import emitted_run, failed_run
from contracts.receipts.codes import FailureCode
from contracts.receipts.results import (
    Artifact,
    CompletedPayload,
    FailedPayload,
    Failure,
    PassCompleted,
    PassPayload,
    ResultEvent,
    Run,
    RunCompleted,
    RunFailed,
    TraceContext,
    Worker,
)
from contracts.receipts.work import Work
from contracts.wire import ContractError
from ledger_tasks.errors import Terminal
from ledger_tasks.files.cache import Cache
from ledger_tasks.messaging.message import Message, result_message

ARTIFACT_KIND = "ocr-cache"
MEDIA_TYPE = "application/json"
"""The signature of the first page goes with it as a parameter: the keys of an event are fixed."""


def completed(
    work: Work, cache: Cache, prefix: str, worker: Worker, trace: TraceContext, at: datetime
) -> tuple[Message, ...]:
    """Return run-completed and one pass-completed for each pass. Raises Terminal RESULT_TOO_LARGE."""
    try:
        return tuple(result_message(event) for event in _completed(work, cache, prefix, worker, trace, at))
    except ContractError as error:
        raise Terminal(FailureCode.RESULT_TOO_LARGE, error.detail) from None


def failed(
    work: Work, budget_key: str, failure: Failure, worker: Worker, trace: TraceContext, at: datetime
) -> tuple[Message, ...]:
    """Return the run-failed event that goes with a dead copy whose identity is known."""
    run = failed_run(work.message_id, budget_key)
    payload = FailedPayload(failure=failure, persistence_mode=work.persistence_mode, request_id=work.request_id)
    event = RunFailed(
        schema_version=1,
        event_type="ocr.run-failed.v1",
        run_uuid=run,
        pass_id=None,
        source_sha256=work.source_sha256,
        source_reference=work.source_reference,
        worker=worker,
        trace_context=trace,
        occurred_at=at,
        attempt=work.attempt,
        payload=payload,
        artifacts=(),
    )
    return (result_message(event),)


def _completed(
    work: Work, cache: Cache, prefix: str, worker: Worker, trace: TraceContext, at: datetime
) -> Iterator[ResultEvent]:
    run = cache.run
    run_uuid = emitted_run(run.ocr_run, work.persistence_mode, work.request_id)
    envelope: dict[str, Any] = {
        "schema_version": 1,
        "run_uuid": run_uuid,
        "source_sha256": work.source_sha256,
        "source_reference": work.source_reference,
        "worker": worker,
        "trace_context": trace,
        "occurred_at": at,
        "attempt": work.attempt,
    }
    artifact = Artifact(
        kind=ARTIFACT_KIND,
        uri=f"{prefix.rstrip('/')}/{cache.sha256}.json",
        sha256=cache.sha256,
        media_type=f"{MEDIA_TYPE}; page-signature={run.page_signature}" if run.page_signature else MEDIA_TYPE,
        size_bytes=cache.size,
    )
    told = Run(
        generation=run.generation,
        engine=run.engine,
        engine_version=run.engine_version,
        extractor_version=run.extractor_version,
        cache_sha256=cache.sha256,
        processed_at=run.processed_at,
        processing_seconds=run.processing_seconds,
        timings=run.timings,
        pages=run.pages,
    )
    payload = CompletedPayload(
        receipt=run.receipt, run=told, persistence_mode=work.persistence_mode, request_id=work.request_id
    )
    yield RunCompleted(
        **envelope, event_type="ocr.run-completed.v1", pass_id=None, payload=payload, artifacts=(artifact,)
    )
    for number, each in enumerate(run.passes, start=1):
        yield PassCompleted(
            **envelope,
            event_type="ocr.pass-completed.v1",
            pass_id=number,
            payload=PassPayload(**{"pass": each}),
            artifacts=(),
        )
