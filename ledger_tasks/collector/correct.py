"""A person's words about a receipt come in; they are kept, and what the receipt says now goes out, booked or open."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection, Engine

from contracts.receipts.receipt import Receipt
from ledger_tasks.collector.booking import Booked, Copied, Open, decide, extraction_status
from ledger_tasks.collector.changes import Changes
from ledger_tasks.collector.checking import ACCEPT, checked
from ledger_tasks.collector.reading import ACCEPTED, Reading, as_read, facts_digest, read
from ledger_tasks.errors import ConflictError, NotFoundError, UsageError
from ledger_tasks.storage import expenses
from ledger_tasks.storage.corrections import BOOKING, COPY, Correction, corrections, has_copies, keep_correction
from ledger_tasks.storage.database import lock_sources, transaction
from ledger_tasks.storage.evidence import Evidence, load_evidence
from ledger_tasks.storage.expenses import Booking
from ledger_tasks.storage.likeness import Likeness, likeness
from ledger_tasks.storage.status import Ended, end


@dataclass(frozen=True, slots=True)
class Corrected:
    """Where the receipt stands after it: without `reasons` it is booked, or a copy of a receipt that is."""

    status: str
    reasons: tuple[str, ...]
    copy_of: str | None = None


def correct(
    engine: Engine,
    source_sha256: str,
    said: Sequence[Correction],
    at: datetime,
    by: str | None = None,
    *,
    dry_run: bool = False,
) -> Corrected:
    """Keep corrections and apply them, with all earlier ones, to the reading that stands, in one transaction.

    `by` is who made them. A dry run does all of it and takes it back.
    Raises NotFoundError without a reading, UsageError for a field or value that cannot be, ConflictError for a copy
    that cannot be one, Infrastructure.
    """
    plain = [checked(each) for each in said]
    originals = [each.value.removeprefix(COPY) for each in plain if _is_copy(each) and each.value]
    with transaction(engine) as connection:
        lock_sources(connection, [source_sha256, *originals])
        evidence = load_evidence(connection, source_sha256)
        if evidence is None:
            raise NotFoundError("nothing has been read of this receipt yet", next_command="ledger receipts list")
        for original in originals:
            _check_original(connection, evidence, original)
        for each in plain:
            if each != ACCEPT:
                keep_correction(connection, source_sha256, each, at, by)
        reading = _reading(connection, evidence)
        if ACCEPT in plain:
            keep_correction(connection, source_sha256, _acceptance(reading), at, by)
            reading = _reading(connection, evidence)
        stands = _apply(connection, evidence, reading, at)
        if dry_run and (changes := connection.get_transaction()):
            changes.rollback()
        return stands


def _is_copy(said: Correction) -> bool:
    return said.field == BOOKING and not said.item and (said.value or "").startswith(COPY)


def _check_original(connection: Connection, copy: Evidence, original: str) -> None:
    """Raise unless the original is a receipt that stands for itself and the copy has neither booking nor copies."""
    if original == copy.source_sha256:
        raise UsageError("a receipt is no copy of itself")
    if load_evidence(connection, original) is None:
        raise NotFoundError("nothing has been read of the receipt that it shall be a copy of")
    if any(map(_is_copy, corrections(connection, [original]).get(original, ()))):
        raise ConflictError("that receipt is set aside as a copy itself", remedy="Name the one that it is a copy of.")
    if has_copies(connection, copy.source_sha256):
        raise ConflictError("other receipts are set aside as copies of this one", remedy="Keep this one.")
    if (number := expenses.booked_as(connection, copy.source_sha256)) is not None:
        raise ConflictError(f"it is booked as expense {number}", remedy="Set the other one aside, or keep both.")


def _reading(connection: Connection, evidence: Evidence) -> Reading:
    fields, items = as_read(dict(evidence.fields), map(dict, evidence.items))
    whole = {
        **fields,
        "items": items,
        "tax_lines": evidence.tax_lines,
        "payments": evidence.payments,
        "raw_text": evidence.raw_text,
        "extraction_confidence": evidence.extraction_confidence,
        "extraction_status": evidence.read_status,
        "review_reasons": evidence.read_reasons,
    }
    said = corrections(connection, [evidence.source_sha256]).get(evidence.source_sha256, ())
    return read(Receipt.model_validate_json(json.dumps(whole)), said, evidence.page_signature)


def _acceptance(reading: Reading) -> Correction:
    if reading.facts is None:
        raise UsageError(
            "a receipt without merchant, date, currency and total cannot be accepted",
            remedy="Give the missing values first.",
        )
    return Correction(ACCEPTED, facts_digest(reading.fields))


def _apply(connection: Connection, evidence: Evidence, reading: Reading, at: datetime) -> Corrected:
    source, like = evidence.source_sha256, Likeness()
    if signs := reading.signs:
        lock_sources(connection, [signs.lock])
        like = likeness(connection, {source: signs})[source]
    verdict = decide(reading, like)
    reasons, twins = (verdict.reasons, verdict.twins) if isinstance(verdict, Open) else ((), ())
    changes = Changes()
    changes.evidence.append(
        replace(
            evidence,
            values=reading.values,
            fields=reading.fields,
            items=reading.items,
            extraction_status=extraction_status(reading, verdict),
            review_reasons=reasons,
            possible_duplicate_of=twins,
            updated_at=at,
        )
    )
    if isinstance(verdict, Booked):
        changes.bookings.append(Booking(source, verdict.facts, reading.lines, verdict.adopts))
    changes.write(connection)
    status = "review_required" if reasons else "succeeded"
    end(connection, [Ended(source, status, 1, at, completed_at=at)], keep=["attempts"])
    return Corrected(status, reasons, verdict.of if isinstance(verdict, Copied) else None)
