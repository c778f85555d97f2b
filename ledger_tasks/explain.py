"""PURE. Where a receipt is and why: what is known of it comes in, one state with reason and next command goes out."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from ledger_tasks.explanations import explain as code_text
from ledger_tasks.files.attempts import Start

State = Literal[
    "unknown",
    "skipped",
    "invalid",
    "growing",
    "queued",
    "running",
    "retrying",
    "held",
    "dead",
    "exhausted",
    "review",
    "done",
]


@dataclass(frozen=True, slots=True)
class OnDisk:
    """What lies at a path that no scan has taken up: `kind` is absent, unsupported, invalid, growing or waiting."""

    kind: Literal["absent", "unsupported", "invalid", "growing", "waiting"]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Letter:
    """An open dead letter of the receipt."""

    id: str
    code: str
    detail: str
    at: datetime


@dataclass(frozen=True)
class Stand:
    """Where a receipt stands in the database; `since` is the last change of its status."""

    status: str | None
    since: datetime | None
    leased_since: datetime | None
    error_code: str | None
    error: str | None
    reasons: Sequence[str]
    evidence_id: str | None
    expense_id: str | None
    copy_of: str | None
    """Hash of the receipt that this one is a copy of, as a person said."""
    rules: Sequence[str] = ()
    """Each field that earlier receipts of the merchant decided, with the rule."""


@dataclass(frozen=True, kw_only=True)
class Known(Stand):
    """What database and cache volume say of a receipt."""

    reference: str
    letters: Sequence[Letter]
    starts: Sequence[Start]
    """All starts that are neither marked as stopping nor of an older publication, oldest first."""
    locked: bool
    """A worker holds the source lock now."""
    volume_trouble: str | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """One state, why, since when, and the command to run next (empty: nothing to do)."""

    state: State
    reason: str
    since: datetime | None = None
    next: str = ""


def of_disk(found: OnDisk) -> Verdict:
    """Explain a path that the database does not know."""
    match found.kind:
        case "absent":
            return Verdict(
                "unknown", "no file lies at this path, and no receipt is known by it", next="ledger receipts list"
            )
        case "unsupported":
            return Verdict(
                "skipped", "its name is not that of a receipt (.pdf .jpg .jpeg .png .tif .tiff .heic .heif .webp)"
            )
        case "invalid":
            return Verdict("invalid", found.reason, next="ledger receipts publish")
        case "growing":
            return Verdict("growing", "the file is still being written; the next scan looks again")
        case "waiting":
            return Verdict("unknown", "the file has not been met by a scan yet", next="ledger receipts publish")


def of_receipt(known: Known, retry_seconds: float) -> Verdict:
    """Explain a receipt: work under way comes before what was finished earlier."""
    if known.locked and known.starts and known.starts[-1].end == "open":
        running = known.starts[-1]
        return Verdict("running", f"OCR runs on {running.worker}, start {len(known.starts)} of 3", running.at)
    if known.leased_since is not None:
        return _in_flight(known, known.leased_since, retry_seconds)
    if known.letters:
        return _dead(known.letters[-1])
    return _finished(known)


def _in_flight(known: Known, since: datetime, retry_seconds: float) -> Verdict:
    last = known.starts[-1] if known.starts else None
    if known.volume_trouble:
        return Verdict("held", f"{known.volume_trouble}; work resumes by itself", since, "ledger doctor")
    if last is not None and last.end == "released":
        return Verdict("held", "a server or volume was away; it comes again by itself", last.at, "ledger doctor")
    if last is not None and last.end in {"failed", "open"} and known.status not in {"succeeded", "review_required"}:
        due = (last.at + timedelta(seconds=retry_seconds)).isoformat(timespec="seconds")
        why = last.code or "the worker was lost"
        return Verdict("retrying", f"retry {len(known.starts) + 1} of 3 after {why}, due about {due}", last.at)
    again = " again" if known.status in {"succeeded", "review_required"} else ""
    return Verdict("queued", f"waiting{again} for an OCR worker or the collector", since, "ledger status")


def _dead(letter: Letter) -> Verdict:
    return Verdict("dead", _told(letter.code, letter.detail), letter.at, f"ledger dead show {letter.id}")


def _told(code: str, detail: str | None = None) -> str:
    """Say what a code means here, and what to do."""
    text = code_text(code)
    return f"{code}: {detail.rstrip('.')}. {text.remedy}" if detail else f"{code}: {text.meaning} {text.remedy}"


def _finished(known: Known) -> Verdict:
    match known.status:
        case "failed":
            told = _told(known.error_code or "", known.error)
            return Verdict("exhausted", told, known.since, f"ledger receipts retry {known.reference}")
        case "review_required":
            reasons = " ".join(map(_told, known.reasons)) or "a person must look"
            return Verdict(
                "review", "; ".join([reasons, *known.rules]), known.since, f"ledger receipts show {known.reference}"
            )
        case "succeeded":
            booked = f", expense {known.expense_id}" if known.expense_id else ""
            if known.copy_of:
                booked = f", a copy of {known.copy_of[:12]}: not booked"
            found = f"evidence {known.evidence_id}{booked}"
            return Verdict("done", "; ".join([found, *known.rules]), known.since)
        case _:
            return Verdict(
                "unknown", "seen, and never published; the next scan does", known.since, "ledger receipts publish"
            )
