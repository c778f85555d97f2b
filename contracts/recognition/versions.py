"""Which MAJOR speaks: a body comes in, the model of its own MAJOR goes out; an unknown MAJOR is a value."""

from dataclasses import dataclass
from typing import Any, Final

from contracts.recognition.envelope_v1 import EnvelopeV1
from contracts.recognition.envelope_v2 import EnvelopeV2
from contracts.recognition.result_v1 import ResultV1
from contracts.recognition.result_v2 import ResultV2
from contracts.wire import ContractError, parse_object, validate

ENVELOPE_LIMIT: Final = 8 * 1024 * 1024
"""Bytes of an envelope: the largest max_payload that a NATS server recommends."""

Envelope = EnvelopeV1 | EnvelopeV2
Result = ResultV1 | ResultV2


@dataclass(frozen=True)
class UnknownMajor:
    """A version that we do not speak; `version` is cut to a length fit for a log."""

    version: str


def decode_envelope(body: bytes) -> Envelope | UnknownMajor:
    """Read one envelope by its MAJOR. Raises ContractError, nothing else."""
    match _major(parse_object(body, ENVELOPE_LIMIT)):
        case "1":
            return validate(EnvelopeV1, body)
        case "2":
            return validate(EnvelopeV2, body)
        case unknown:
            return UnknownMajor(unknown[:20])


def decode_result(body: bytes, limit: int) -> Result | UnknownMajor:
    """Read one result file of at most `limit` bytes by its MAJOR. Raises ContractError, nothing else."""
    match _major(parse_object(body, limit)):
        case "1":
            return validate(ResultV1, body)
        case "2":
            return validate(ResultV2, body)
        case unknown:
            return UnknownMajor(unknown[:20])


def _major(found: dict[str, Any]) -> str:
    """Return what stands before the first point: "2" is 2.0."""
    version = found.get("schema_version")
    if not isinstance(version, str):
        raise ContractError("CONTRACT_INVALID", "schema_version is missing or not a string")
    return version.split(".", 1)[0]
