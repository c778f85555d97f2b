"""Result events of OCR: run-completed, pass-completed, run-failed; bytes in, a typed event out, and back."""

import re
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import AwareDatetime, Field, SerializerFunctionWrapHandler, model_serializer

from contracts.identity import RequestId, Sha256, SourceReference
from contracts.receipts.codes import FailureCode
from contracts.receipts.receipt import Receipt
from contracts.receipts.work import Attempt, PersistenceMode
from contracts.wire import ContractError, Wire, canonical, encode, parse_object, validate

RESULT_LIMIT: Final = 8 * 1024 * 1024
"""Bytes of a result body, on write and on read."""

SIGNATURE_BITS: Final = 512
"""Length of a page's signature: two photographs of one receipt differ in few of its bits."""

Seconds = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=0)]
Word = Annotated[str, Field(min_length=1, max_length=512)]


_SIGNATURE: Final = re.compile(rf"; ?page-signature=([0-9a-f]{{{SIGNATURE_BITS // 4}}})(?:;|$)")


class Worker(Wire):
    """Which process spoke."""

    service: Word
    host: Word
    pid: Count


class TraceContext(Wire):
    """W3C trace context."""

    traceparent: Annotated[str, Field(pattern=r"^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$")]
    tracestate: Annotated[str, Field(max_length=512)] | None = None

    @model_serializer(mode="wrap")
    def _without_an_absent_state(self, plain: SerializerFunctionWrapHandler) -> dict[str, str]:
        return {name: value for name, value in plain(self).items() if value is not None}


class Artifact(Wire):
    """A stored file of a run; its URI names its content hash."""

    kind: Word
    uri: Annotated[str, Field(min_length=1, max_length=8192)]
    sha256: Sha256
    media_type: Word
    size_bytes: Count

    @property
    def page_signature(self) -> str | None:
        """Return what the media type may carry of the first page: `; page-signature=<128 hex digits>`."""
        found = _SIGNATURE.search(self.media_type)
        return found[1] if found else None


class Run(Wire):
    """One OCR run; `generation` is the only order between runs of one source."""

    generation: Count
    engine: Word
    engine_version: Word
    extractor_version: Word
    cache_sha256: Sha256
    processed_at: AwareDatetime
    processing_seconds: Seconds
    timings: dict[str, Seconds]
    pages: Count


class Pass(Wire):
    """One reading of one page by one engine; boxes and text of losing passes stay in the artifact."""

    engine: Word
    engine_version: Word
    page_number: Annotated[int, Field(ge=1)]
    dpi: Count | None
    psm: Count | None
    variant: Word
    seconds: Seconds
    status: Literal["ok", "failed"]
    error_type: Word | None
    line_count: Count
    character_count: Count
    confidence: Annotated[float, Field(ge=0, le=1)] | None
    selected: bool


class Failure(Wire):
    """Why a receipt failed for good, or after how many attempts."""

    code: FailureCode = Field(strict=False)
    detail: Annotated[str, Field(max_length=512)]
    attempts: Count
    terminal: bool


class CompletedPayload(Wire):
    """Payload of `ocr.run-completed.v1`."""

    receipt: Receipt
    run: Run
    persistence_mode: PersistenceMode
    request_id: RequestId | None


class PassPayload(Wire):
    """Payload of `ocr.pass-completed.v1`."""

    pass_: Pass = Field(alias="pass")


class FailedPayload(Wire):
    """Payload of `ocr.run-failed.v1`."""

    failure: Failure
    persistence_mode: PersistenceMode
    request_id: RequestId | None


class _Event(Wire):
    schema_version: Annotated[int, Field(ge=1, le=1)]
    run_uuid: RequestId
    source_sha256: Sha256
    source_reference: SourceReference
    worker: Worker
    trace_context: TraceContext
    occurred_at: AwareDatetime
    attempt: Attempt
    artifacts: tuple[Artifact, ...]


class RunCompleted(_Event):
    """A receipt was read."""

    name: ClassVar = "ocr.run-completed.v1"

    event_type: Literal["ocr.run-completed.v1"]
    pass_id: None
    payload: CompletedPayload

    @property
    def message_id(self) -> str:
        """Return the AMQP message_id: the identity of this event."""
        return f"ocr-result.v1:{self.run_uuid}:run"


class PassCompleted(_Event):
    """One pass of a run; it may arrive before its run."""

    name: ClassVar = "ocr.pass-completed.v1"

    event_type: Literal["ocr.pass-completed.v1"]
    pass_id: Annotated[int, Field(ge=1)]
    payload: PassPayload

    @property
    def message_id(self) -> str:
        """Return the AMQP message_id: the identity of this event."""
        return f"ocr-result.v1:{self.run_uuid}:pass:{self.pass_id}"


class RunFailed(_Event):
    """A receipt ended in the dead letters."""

    name: ClassVar = "ocr.run-failed.v1"

    event_type: Literal["ocr.run-failed.v1"]
    pass_id: None
    payload: FailedPayload

    @property
    def message_id(self) -> str:
        """Return the AMQP message_id: the identity of this event."""
        return f"ocr-result.v1:{self.run_uuid}:failed"


ResultEvent = RunCompleted | PassCompleted | RunFailed
_MODELS: Final[dict[str, type[RunCompleted | PassCompleted | RunFailed]]] = {
    model.name: model for model in (RunCompleted, PassCompleted, RunFailed)
}


def encode_result(event: ResultEvent) -> bytes:
    """Return the canonical body; ContractError BODY_TOO_LARGE over 8 MiB."""
    return encode(event, RESULT_LIMIT)


def decode_result(body: bytes) -> ResultEvent:
    """Read one event. Raises ContractError BODY_TOO_LARGE, VERSION_UNKNOWN or CONTRACT_INVALID, nothing else."""
    found = parse_object(body, RESULT_LIMIT)
    version = found.get("schema_version")
    if type(version) is not int:
        raise ContractError("CONTRACT_INVALID", "schema_version is missing or not an integer")
    if version != 1:
        raise ContractError("VERSION_UNKNOWN", "only schema_version 1 is known")
    model = _MODELS.get(found["event_type"]) if isinstance(found.get("event_type"), str) else None
    if model is None:
        raise ContractError("CONTRACT_INVALID", "event_type is missing or unknown")
    return validate(model, body)


def digest_input(event: ResultEvent) -> bytes:
    """Return the bytes whose SHA-256 tells two contents of one event id apart: not worker, trace or time."""
    whole: dict[str, Any] = event.model_dump(mode="json", by_alias=True)
    names = ("event_type", "run_uuid", "pass_id", "source_sha256", "source_reference", "payload", "artifacts")
    return canonical({name: whole[name] for name in names})
