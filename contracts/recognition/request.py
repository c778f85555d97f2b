"""The request: one file for one service to recognize; typed values in, bytes out, and back."""

from typing import Annotated, Any, Final

from pydantic import Field, TypeAdapter, ValidationError

from contracts.identity import Sha256
from contracts.recognition.words import Count, Identifier, Moment, ObjectAddress, Open, Ordinal, Pipeline, Word
from contracts.wire import ContractError, parse_object, reasons, validate

REQUEST_VERSION: Final = "1.0"
REQUEST_LIMIT: Final = 64 * 1024
"""Bytes of a request: far below the smallest usual max_payload (1 MiB) of a NATS server."""


class Request(Open):
    """Schema 1.0. The answer goes to `reply_subject` before `reply_deadline`; size and hash may be unknown."""

    schema_version: Annotated[str, Field(pattern=r"^1(\.|$)")]
    job_id: Identifier
    file_id: Identifier
    pipeline: Pipeline
    attempt: Ordinal
    s3: ObjectAddress
    original_name: Annotated[str, Field(min_length=1)]
    content_type: Word
    size_bytes: Count | None
    sha256: Sha256 | None
    requested_at: Moment
    reply_subject: Word
    reply_deadline: Moment

    @property
    def message_id(self) -> str:
        """Return the Nats-Msg-Id, the same for every republication of this attempt."""
        return request_message_id(self.job_id, self.attempt)


def request_message_id(job_id: str, attempt: int) -> str:
    """Return the Nats-Msg-Id of a request."""
    return f"{job_id}:{attempt}"


def make_request(*, bucket: str, key: str, **fields: Any) -> Request:
    """Make a request of its fields. Raises ContractError with what is wrong and no value."""
    try:
        fields |= {"schema_version": REQUEST_VERSION, "s3": {"bucket": bucket, "key": key}}
        return Request.model_validate(fields)
    except ValidationError as error:
        raise ContractError("CONTRACT_INVALID", reasons(error)) from None


def encode_request(request: Request) -> bytes:
    """Return the body: equal requests give equal bytes. Raises ContractError BODY_TOO_LARGE."""
    body = _REQUEST.dump_json(request)
    if len(body) > REQUEST_LIMIT:
        raise ContractError("BODY_TOO_LARGE", f"{len(body)} bytes, the limit is {REQUEST_LIMIT}")
    return body


_REQUEST: Final = TypeAdapter(Request)


def decode_request(body: bytes) -> Request:
    """Read one request. Raises ContractError, nothing else."""
    parse_object(body, REQUEST_LIMIT)
    return validate(Request, body)
