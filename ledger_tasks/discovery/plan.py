"""PURE. What a scan does about one receipt: what is known of its hash comes in, one action goes out."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from contracts.identity import missing_cache_request
from contracts.receipts.codes import FailureCode
from contracts.receipts.work import ProcessReceipt, ReprocessReceipt, process, reprocess

Counter = Literal["already_queued", "exhausted", "skipped"]

CURED_BY_SEEING: Final = frozenset({FailureCode.SOURCE_MISSING, FailureCode.HASH_MISMATCH})
"""Failures of a path, not of a content: over as soon as that content is found again."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the database and the cache volume say about one hash at the first look of a scan."""

    leased: bool = False
    failed: bool = False
    attempts: int = 0
    terminal: bool = False
    failure: str = ""
    """Code of the last failure, when it failed."""
    dead: frozenset[str] = frozenset()
    """Codes of its open dead letters, of either family."""
    seen_again: bool = False
    """Its content was read after the last of these troubles."""
    completed_at: datetime | None = None
    """Set exactly when status is `succeeded` or `review_required`."""
    cached: bool = False
    """Some known path of the hash has a valid cache."""


@dataclass(frozen=True, slots=True)
class Leave:
    """Do nothing, and count it."""

    counter: Counter


@dataclass(frozen=True, slots=True)
class Process:
    """Publish v1."""


@dataclass(frozen=True, slots=True)
class Repair:
    """The receipt is done and its cache is lost: publish v2 with the id derived from that completion."""

    completed_at: datetime


Action = Leave | Process | Repair


def plan(known: Known, max_attempts: int) -> Action:
    """Decide by the first matching row of the table."""
    if known.leased:
        return Leave("already_queued")
    if _is_exhausted(known, max_attempts):
        return Leave("exhausted")
    if known.completed_at is None:
        return Process()
    return Leave("skipped") if known.cached else Repair(known.completed_at)


def message(action: Process | Repair, sha256: str, reference: str) -> ProcessReceipt | ReprocessReceipt:
    """Return the work message of an action; the same loss of a cache always gives the same request."""
    match action:
        case Process():
            return process(sha256, reference)
        case Repair(completed_at):
            return reprocess(sha256, reference, missing_cache_request(sha256, reference, completed_at))


def _is_exhausted(known: Known, max_attempts: int) -> bool:
    gave_up = known.failed and (known.terminal or known.attempts >= max_attempts)
    troubles = known.dead | ({known.failure} if gave_up else set())
    if known.seen_again:
        troubles -= CURED_BY_SEEING
    return bool(troubles)
