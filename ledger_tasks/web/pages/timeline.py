"""PURE. All rows about one receipt come in; one line of time goes out: what happened when, and how long it took."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Row

from ledger_tasks.files.attempts import Start
from ledger_tasks.storage.page_receipt import ReceiptPage


class Moment(NamedTuple):
    """One entry; `tone` is plain, good, review or bad; `detail` is one line; `seconds` is how long it took itself."""

    at: datetime
    what: str
    detail: str
    tone: str = "plain"
    seconds: float | None = None


class Step(NamedTuple):
    """A moment and the seconds since the one before it."""

    moment: Moment
    since_previous: float | None


def timeline(found: ReceiptPage, starts: Sequence[Start]) -> list[Step]:
    """Return every attempt and hop, first to last; `starts` are those that the shared volume remembers."""
    moments = sorted([*_moments(found), *map(_start, starts)], key=lambda each: each.at)
    before = [None, *moments]
    return [
        Step(each, (each.at - previous.at).total_seconds() if previous else None)
        for previous, each in zip(before, moments, strict=False)
    ]


def _moments(found: ReceiptPage) -> Iterator[Moment]:
    yield Moment(found.receipt.first_seen_at, "Found", found.receipt.source_reference)
    for rows, tell in (
        (found.publications, _lease),
        (found.runs, _run),
        (found.events, _event),
        (found.dead_letters, _letter),
        (found.requests, _request),
        (found.corrections, _correction),
        ([found.expense] if found.expense else [], _expense),
    ):
        for row in rows:
            yield from tell(row)


def _start(start: Start) -> Moment:
    """Return the beginning of one reading, and how it ended: a start that is open long after is a crash."""
    ended = {"open": "not ended", "ok": "ended well", "released": "handed back", "failed": f"failed: {start.code}"}
    tone = "bad" if start.end == "failed" else "plain"
    return Moment(start.at, "Reading began", f"{start.worker}, {ended[start.end]}", tone)


def _lease(lease: Row[Any]) -> Iterator[Moment]:
    purpose = {"normal": "processing", "reprocess": "reprocessing", "cache_only": "a cache rebuild"}[lease.purpose]
    yield Moment(lease.planned_at, f"Publishing for {purpose}", f"publication {lease.publication}")
    if lease.confirmed_at:
        yield Moment(lease.confirmed_at, "Queued", "confirmed by the broker")
    if lease.state == "ended" and lease.end_reason != "completed":
        yield Moment(lease.ended_at, f"Publication ended: {lease.end_reason}", f"publication {lease.publication}")


def _run(run: Row[Any]) -> Iterator[Moment]:
    pages = "1 page" if run.pages == 1 else f"{run.pages} pages"
    detail = f"{run.engine} {run.engine_version}, {pages}, attempt {run.attempt}"
    yield Moment(run.processed_at, "Read", detail, seconds=run.processing_seconds)


def _event(event: Row[Any]) -> Iterator[Moment]:
    """Return what the collector did with an event; passes are shown with their run."""
    host = f"from {event.worker['host']}, attempt {event.attempt}"
    if event.failure is not None:
        detail = f"{event.failure['detail']} ({host})"
        yield Moment(event.collected_at, f"Failed: {event.failure['code']}", detail, "bad")
    elif event.event_type == "ocr.run-completed.v1":
        tone = "good" if event.outcome == "applied" else "plain"
        yield Moment(event.collected_at, f"Result {event.outcome}", host, tone)


def _letter(letter: Row[Any]) -> Iterator[Moment]:
    yield Moment(letter.dead_at, f"Dead letter: {letter.code}", letter.detail, "bad")
    if letter.settled_at:
        yield Moment(letter.settled_at, f"Dead letter {letter.state}", letter.code)


def _request(request: Row[Any]) -> Iterator[Moment]:
    if request.completed_at:
        tone = "bad" if request.outcome == "failed" else "plain"
        yield Moment(request.completed_at, f"Request for {request.kind}: {request.outcome}", request.request_id, tone)


def _correction(said: Row[Any]) -> Iterator[Moment]:
    by = said.corrected_by or "a person"
    yield Moment(said.corrected_at, f"Corrected by {by}", said.field.replace("_", " "), "good")


def _expense(expense: Row[Any]) -> Iterator[Moment]:
    yield Moment(expense.created_at, "Booked", f"expense {expense.id}", "good")
    if expense.exported_at:
        yield Moment(expense.exported_at, "Exported", f"expense {expense.id}", "good")
