"""Result events as an OCR worker would send them: a few words in, valid events out."""

from hashlib import sha256
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from contracts.receipts.results import PassCompleted, ResultEvent, RunCompleted, RunFailed

CAFE = {"merchant": "Café Zoë", "transaction_date": "2026-08-14", "currency": "EUR", "total": "1007.50"}


def source(name: str) -> str:
    """Return the hash of an imagined file."""
    return sha256(name.encode()).hexdigest()


def uuid(name: str) -> str:
    """Return a UUID that is the same for the same name."""
    return str(uuid5(NAMESPACE_OID, name))


def receipt(reasons: tuple[str, ...] = (), items: list[dict[str, Any]] | None = None, **values: str) -> dict[str, Any]:
    """Return a receipt in JSON; a field that is not named is missing."""
    fields = {name: {"value": value, "raw": value, "confidence": 0.9, "status": "ok"} for name, value in values.items()}
    return fields | {
        "items": items or [],
        "raw_text": "\n".join(values.values()),
        "extraction_confidence": 0.9,
        "extraction_status": "review" if reasons else "complete",
        "review_reasons": list(reasons),
    }


def completed(
    name: str,
    run: str,
    *,
    generation: int,
    mode: str = "normal",
    request: str | None = None,
    said: dict[str, Any] | None = None,
    reference: str | None = None,
    page: str | None = None,
) -> RunCompleted:
    """Return `ocr.run-completed.v1` of the file `name`; `page` is the signature of its first page."""
    payload = {
        "receipt": said or receipt(**CAFE),
        "run": {
            "generation": generation,
            "engine": "rapidocr",
            "engine_version": "3.10",
            "extractor_version": "1",
            "cache_sha256": source(f"cache {run}"),
            "processed_at": "2026-08-14T12:00:00+00:00",
            "processing_seconds": 1.5,
            "timings": {"ocr": 1.2},
            "pages": 1,
        },
        "persistence_mode": mode,
        "request_id": uuid(request) if request else None,
    }
    event = RunCompleted.model_validate_json(_json("ocr.run-completed.v1", name, run, None, payload, reference))
    if page is None:
        return event
    artifact = event.artifacts[0].model_copy(update={"media_type": f"application/json; page-signature={page}"})
    return event.model_copy(update={"artifacts": (artifact,)})


PASS = {
    "engine": "rapidocr",
    "engine_version": "3.10",
    "page_number": 1,
    "dpi": 200,
    "psm": None,
    "variant": "primary",
    "seconds": 1.0,
    "status": "ok",
    "error_type": None,
    "line_count": 12,
    "character_count": 300,
    "confidence": 0.93,
    "selected": True,
}


def passed(name: str, run: str, number: int = 1) -> PassCompleted:
    """Return `ocr.pass-completed.v1` of a run of the file `name`; its first pass is the one that was taken."""
    payload = {"pass": PASS | {"selected": number == 1}}
    return PassCompleted.model_validate_json(_json("ocr.pass-completed.v1", name, run, number, payload))


def failed(
    name: str,
    run: str,
    *,
    code: str = "PDF_CORRUPT",
    mode: str = "normal",
    request: str | None = None,
    attempts: int = 1,
    terminal: bool = True,
) -> RunFailed:
    """Return `ocr.run-failed.v1` of the file `name`."""
    failure = {"code": code, "detail": "no page can be read", "attempts": attempts, "terminal": terminal}
    payload = {"failure": failure, "persistence_mode": mode, "request_id": uuid(request) if request else None}
    return RunFailed.model_validate_json(_json("ocr.run-failed.v1", name, run, None, payload))


def sent_again(event: ResultEvent, **changes: Any) -> ResultEvent:
    """Return the same event as another process would send it: other worker, other time."""
    return event.model_copy(update={"worker": event.worker.model_copy(update={"pid": 7}), **changes})


def _json(
    kind: str, name: str, run: str, pass_id: int | None, payload: dict[str, Any], reference: str | None = None
) -> str:
    import json

    digest = source(f"cache {run}")
    artifact = {
        "kind": "ocr-cache",
        "uri": f"artifact:/{digest}.json",
        "sha256": digest,
        "media_type": "application/json",
        "size_bytes": 1000,
    }
    return json.dumps(
        {
            "schema_version": 1,
            "event_type": kind,
            "run_uuid": uuid(run),
            "pass_id": pass_id,
            "source_sha256": source(name),
            "source_reference": reference or f"2026-08-14/{name}.pdf",
            "worker": {"service": "ocr", "host": "worker-1", "pid": 1},
            "trace_context": {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"},
            "occurred_at": "2026-08-14T12:00:01+00:00",
            "attempt": 1,
            "payload": payload,
            "artifacts": [] if kind == "ocr.run-failed.v1" else [artifact],
        }
    )
