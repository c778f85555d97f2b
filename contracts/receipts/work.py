"""Work messages v1, v2 and v3: an AMQP body comes in, a typed request goes out, and back byte for byte."""

from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import Field, ValidationError, model_validator

from contracts.identity import RequestId, Sha256, SourceReference, unsafe_reason
from contracts.wire import ContractError, Wire, encode, parse_object, validate

WORK_LIMIT: Final = 8192
"""Bytes of a work body, on write and on read."""

MAX_ATTEMPTS: Final = 3
"""Counted starts of one budget, crashes included."""

PersistenceMode = Literal["normal", "reprocess", "cache_only"]
Attempt = Annotated[int, Field(ge=1, le=MAX_ATTEMPTS)]


class _Work(Wire):
    source_sha256: Sha256
    source_reference: SourceReference
    attempt: Attempt

    def next_attempt(self) -> Self:
        """Return the same request one attempt later."""
        return self.at_attempt(self.attempt + 1)

    def at_attempt(self, attempt: int) -> Self:
        """Return the same request at another attempt."""
        return self.model_copy(update={"attempt": attempt})


class ProcessReceipt(_Work):
    """v1: process a receipt that discovery found."""

    message_type: ClassVar = "receipt.process.v1"
    persistence_mode: ClassVar[PersistenceMode] = "normal"
    request_id: ClassVar[None] = None

    version: Annotated[int, Field(ge=1, le=1)]

    @property
    def message_id(self) -> str:
        """Return the AMQP message_id, stable over retries."""
        return f"receipt.v1:{self.source_sha256}"


class ReprocessReceipt(_Work):
    """v2: force OCR again and replace what was extracted, for one request."""

    message_type: ClassVar = "receipt.reprocess.v2"
    persistence_mode: ClassVar[PersistenceMode] = "reprocess"

    version: Annotated[int, Field(ge=2, le=2)]
    request_id: RequestId

    @property
    def message_id(self) -> str:
        """Return the AMQP message_id, stable over retries."""
        return f"receipt.reprocess.v2:{self.source_sha256}:{self.request_id}"


class RebuildCache(_Work):
    """v3: force OCR again for the cache alone; extraction and status stay."""

    message_type: ClassVar = "receipt.cache-rebuild.v3"
    persistence_mode: ClassVar[PersistenceMode] = "cache_only"

    version: Annotated[int, Field(ge=3, le=3)]
    request_id: RequestId

    @property
    def message_id(self) -> str:
        """Return the AMQP message_id, stable over retries."""
        return f"receipt.cache-rebuild.v3:{self.source_sha256}:{self.request_id}"


class RebuildCacheInBatch(RebuildCache):
    """v3 with its place in a batch: 1 <= index <= total."""

    batch_id: RequestId
    batch_index: Annotated[int, Field(ge=1)]
    batch_total: Annotated[int, Field(ge=1)]

    @model_validator(mode="after")
    def _index_within_total(self) -> Self:
        if self.batch_index > self.batch_total:
            raise ValueError("batch_index is greater than batch_total")
        return self


Work = ProcessReceipt | ReprocessReceipt | RebuildCache | RebuildCacheInBatch
Refresh = ReprocessReceipt | RebuildCache | RebuildCacheInBatch

_BATCH_KEYS: Final = frozenset({"batch_id", "batch_index", "batch_total"})


def process(sha256: str, reference: str, attempt: int = 1) -> ProcessReceipt:
    """Make a v1 message."""
    return ProcessReceipt(version=1, source_sha256=sha256, source_reference=reference, attempt=attempt)


def reprocess(sha256: str, reference: str, request_id: str, attempt: int = 1) -> ReprocessReceipt:
    """Make a v2 message."""
    return ReprocessReceipt(
        version=2, source_sha256=sha256, source_reference=reference, attempt=attempt, request_id=request_id
    )


def budget_key(work: Work, publication: str, opened_by: str | None) -> str:
    """Return whose three attempts a delivery uses: v1 has a budget for each publication, v2 and v3 for each request.

    `opened_by` is the budget header of `retry` and `replay`, which opens a new one.
    """
    owner = publication if isinstance(work, ProcessReceipt) else ""
    return "|".join((work.message_id, owner, opened_by or ""))


def encode_work(work: Work) -> bytes:
    """Return the canonical body; ContractError BODY_TOO_LARGE when the path is too long for it."""
    return encode(work, WORK_LIMIT)


def decode_work(body: bytes) -> Work:
    """Read any valid JSON with exactly the keys of its version.

    Raises ContractError with code BODY_TOO_LARGE, VERSION_UNKNOWN, PATH_UNSAFE or CONTRACT_INVALID, nothing else.
    """
    found = parse_object(body, WORK_LIMIT)
    model = _model_of(found)
    reference = found.get("source_reference")
    reason = unsafe_reason(reference) if isinstance(reference, str) else None
    if reason and _valid(model, found | {"source_reference": "safe"}):
        raise ContractError("PATH_UNSAFE", reason)
    return validate(model, body)


def _model_of(found: dict[str, Any]) -> type[Work]:
    version = found.get("version")
    if type(version) is not int:
        raise ContractError("CONTRACT_INVALID", "version is missing or not an integer")
    match version:
        case 1:
            return ProcessReceipt
        case 2:
            return ReprocessReceipt
        case 3 if _BATCH_KEYS & found.keys():
            return RebuildCacheInBatch
        case 3:
            return RebuildCache
        case _:
            raise ContractError("VERSION_UNKNOWN", "only the versions 1, 2 and 3 are known")


def _valid(model: type[Work], found: dict[str, Any]) -> bool:
    try:
        model.model_validate(found)
    except ValidationError:
        return False
    return True
