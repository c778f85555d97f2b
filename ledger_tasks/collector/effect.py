"""PURE. An event that was never stored and what is known of its source come in; the rows that it changes come out."""

from datetime import datetime

from contracts.receipts.results import PassCompleted, RunCompleted, RunFailed
from ledger_tasks.collector.arrived import Arrived
from ledger_tasks.collector.booking import Booked, Open, decide, extraction_status
from ledger_tasks.collector.changes import Changes
from ledger_tasks.collector.judge import Judgement, Known, judge, request_outcome
from ledger_tasks.collector.outcome import Applied
from ledger_tasks.collector.reading import Reading
from ledger_tasks.collector.rows import artifact_rows, dead_letter, event_row, evidence_row, pass_row, run_row
from ledger_tasks.storage.expenses import Booking
from ledger_tasks.storage.likeness import Likeness
from ledger_tasks.storage.requests import Request
from ledger_tasks.storage.status import Ended, LeaseEnd, Seen


def effect(arrived: Arrived, known: Known, like: Likeness, changes: Changes, at: datetime) -> Judgement:
    """Judge an event and add the rows that it changes to `changes`."""
    event = arrived.event
    judgement = judge(event, known)
    changes.seen.append(Seen(event.source_sha256, event.source_reference, at))
    changes.events.append(event_row(event, arrived.digest, judgement, at))
    changes.artifacts.extend(artifact_rows(event))
    match event:
        case PassCompleted():
            changes.passes.append(pass_row(event))
        case RunFailed():
            _fail(event, judgement, changes, at)
        case RunCompleted():
            _complete(event, arrived.reading, judgement, known, like, changes, at)
    return judgement


def lease_end(event: RunCompleted | RunFailed, at: datetime) -> LeaseEnd:
    """Return the end of the lease under which the work of a final event was published."""
    reason = "completed" if isinstance(event, RunCompleted) else "failed"
    return LeaseEnd(event.source_sha256, event.payload.persistence_mode, event.payload.request_id, reason, at)


def _fail(event: RunFailed, judgement: Judgement, changes: Changes, at: datetime) -> None:
    failure, mode, request_id = event.payload.failure, event.payload.persistence_mode, event.payload.request_id
    changes.lease_ends.append(lease_end(event, at))
    changes.dead_letters.append(dead_letter(event))
    if not isinstance(judgement, Applied):
        return
    if request_id is None:
        changes.ended.append(
            Ended(
                event.source_sha256,
                "failed",
                failure.attempts,
                at,
                terminal=failure.terminal,
                last_error=failure.detail,
                last_error_code=str(failure.code),
            )
        )
    else:
        error = f"{failure.code}: {failure.detail}"
        changes.requests.append(
            Request(event.source_sha256, request_id, mode, failure.attempts, "failed", at, last_error=error)
        )


def _complete(
    event: RunCompleted,
    reading: Reading | None,
    judgement: Judgement,
    known: Known,
    like: Likeness,
    changes: Changes,
    at: datetime,
) -> None:
    mode, request_id = event.payload.persistence_mode, event.payload.request_id
    changes.lease_ends.append(lease_end(event, at))
    complete = known.run is not None and known.run.complete
    replaces = isinstance(judgement, Applied) and reading is not None
    changes.runs.append(run_row(event, at, applied=replaces))
    if isinstance(judgement, Applied) and reading is not None:
        complete = _replace(event, reading, like, changes, at)
    outcome = request_outcome(event, judgement, known, complete=complete)
    if request_id and outcome:
        changes.requests.append(Request(event.source_sha256, request_id, mode, event.attempt, outcome, at))


def _replace(event: RunCompleted, reading: Reading, like: Likeness, changes: Changes, at: datetime) -> bool:
    """Let the reading be what the receipt says; return whether it needs no person."""
    verdict = decide(reading, like)
    reasons, twins = (verdict.reasons, verdict.twins) if isinstance(verdict, Open) else ((), ())
    status = extraction_status(reading, verdict)
    changes.evidence.append(evidence_row(event, reading, reasons, twins, status, at))
    if isinstance(verdict, Booked):
        changes.bookings.append(Booking(event.source_sha256, verdict.facts, reading.lines, verdict.adopts))
    changes.ended.append(
        Ended(
            event.source_sha256,
            "review_required" if reasons else "succeeded",
            event.attempt,
            at,
            completed_at=at,
        )
    )
    return not reasons
