"""Who is who: hashes, references and request ids as they stand on the wire, and the ids derived from them."""

import re
from datetime import datetime
from typing import Annotated, Final
from uuid import NAMESPACE_URL, UUID, uuid5

from pydantic import AfterValidator, Field

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
"""Content hash of a receipt, 64 lowercase hex: its only durable identity."""

_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_REFERENCE_LIMIT: Final = 4096


def _canonical_uuid(text: str) -> str:
    if not _UUID.fullmatch(text):
        raise ValueError("not a canonical UUID (lowercase, with hyphens)")
    return text


def unsafe_reason(reference: str) -> str | None:
    """Say why a text is no safe relative POSIX path, or None: no empty or dotted segment, backslash or control."""
    checks = {
        "the path is empty": not reference,
        "the path is too long": len(reference) > _REFERENCE_LIMIT,
        "the path holds a control character or a byte that is not UTF-8": any(map(_unprintable, reference)),
        "the path holds a backslash": "\\" in reference,
        "the path is absolute": reference.startswith("/"),
        "a segment of the path is empty or begins with a point": any(
            not segment or segment.startswith(".") for segment in reference.split("/")
        ),
    }
    return next((reason for reason, broken in checks.items() if broken), None)


def _unprintable(character: str) -> bool:
    point = ord(character)
    return point < 32 or 127 <= point < 160 or 0xD800 <= point < 0xE000


def _safe_reference(reference: str) -> str:
    reason = unsafe_reason(reference)
    if reason:
        raise ValueError(reason)
    return reference


RequestId = Annotated[str, AfterValidator(_canonical_uuid)]
"""Canonical UUID text of one request, batch or run."""

SourceReference = Annotated[str, AfterValidator(_safe_reference)]
"""Relative POSIX path below the receipt root: a locator, never an identity."""


def missing_cache_request(sha256: str, reference: str, completed_at: datetime) -> str:
    """Derive the request that repairs one lost cache; the same loss always gives the same id."""
    epoch = f"{completed_at.timestamp():.6f}"
    return str(uuid5(NAMESPACE_URL, f"ledger:missing-ocr-cache:{sha256}:{reference}:{epoch}"))


def batch_cache_request(batch_id: str, reference: str) -> str:
    """Derive one source's request of a cache-rebuild batch."""
    return str(uuid5(UUID(batch_id), f"cache:{reference}"))


def batch_reprocess_request(batch_id: str, reference: str) -> str:
    """Derive one source's request of a reprocess batch."""
    return str(uuid5(UUID(batch_id), f"reprocess:{reference}"))


def emitted_run(ocr_run: str, persistence_mode: str, request_id: str | None) -> str:
    """Derive the run id that events carry: a duplicate of one request repeats it, another purpose never does."""
    return str(uuid5(UUID(ocr_run), f"{persistence_mode}:{request_id or ''}"))


def failed_run(message_id: str, budget: str) -> str:
    """Derive the run id of a run-failed event from the work message and the key of its spent budget."""
    return str(uuid5(NAMESPACE_URL, f"ledger:run-failed:{message_id}:{budget}"))
