"""A person's words about a receipt come in; they are kept, and what the receipt says now goes out, booked or open."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, Final

from pydantic import ValidationError
from sqlalchemy import Connection, Engine

from contracts.receipts.receipt import SINGLE_FIELDS, Item, Receipt
from ledger_tasks.collector.booking import NEW, Booked, decide, extraction_status
from ledger_tasks.collector.changes import Changes
from ledger_tasks.collector.reading import ACCEPTED, BOOKING, Reading, as_read, facts_digest, read
from ledger_tasks.errors import NotFoundError, UsageError
from ledger_tasks.storage import expenses
from ledger_tasks.storage.corrections import Correction, corrections, keep_correction
from ledger_tasks.storage.database import lock_sources, transaction
from ledger_tasks.storage.evidence import Evidence, load_evidence
from ledger_tasks.storage.expenses import Booking, Likeness, booking_lock
from ledger_tasks.storage.status import Ended, end

ACCEPT: Final = Correction(ACCEPTED, None)
"""Asks to take the facts as they stand: `correct` fills in their digest."""

ITEM_PARTS: Final = tuple(Item.model_fields)
_DECIMAL_COMMA: Final = re.compile(r"-?[0-9 ]+,[0-9]{1,2}")


@dataclass(frozen=True, slots=True)
class Corrected:
    """Where the receipt stands after it: `reasons` is empty exactly when it is booked."""

    status: str
    reasons: tuple[str, ...]


def correct(engine: Engine, source_sha256: str, said: Sequence[Correction], at: datetime) -> Corrected:
    """Keep corrections and apply them, with all earlier ones, to the reading that stands, in one transaction.

    Raises NotFoundError without a reading, UsageError for a field or value that cannot be, Infrastructure.
    """
    plain = [_checked(each) for each in said]
    with transaction(engine) as connection:
        lock_sources(connection, [source_sha256])
        evidence = load_evidence(connection, source_sha256)
        if evidence is None:
            raise NotFoundError("nothing has been read of this receipt yet", next_command="ledger receipts list")
        for each in plain:
            if each != ACCEPT:
                keep_correction(connection, source_sha256, each, at)
        reading = _reading(connection, evidence)
        if ACCEPT in plain:
            _accept(connection, source_sha256, reading, at)
            reading = _reading(connection, evidence)
        return _apply(connection, evidence, reading, at)


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
    return read(Receipt.model_validate_json(json.dumps(whole)), said)


def _accept(connection: Connection, source_sha256: str, reading: Reading, at: datetime) -> None:
    if reading.facts is None:
        raise UsageError(
            "a receipt without merchant, date, currency and total cannot be accepted",
            remedy="Give the missing values first.",
        )
    keep_correction(connection, source_sha256, Correction(ACCEPTED, facts_digest(reading.fields)), at)


def _apply(connection: Connection, evidence: Evidence, reading: Reading, at: datetime) -> Corrected:
    source, like = evidence.source_sha256, Likeness()
    if reading.facts:
        lock_sources(connection, [booking_lock(reading.facts)])
        like = expenses.likeness(connection, {source: reading.facts})[source]
    verdict = decide(reading, like)
    reasons = () if isinstance(verdict, Booked) else verdict.reasons
    changes = Changes()
    changes.evidence.append(
        replace(
            evidence,
            values=reading.values,
            fields=reading.fields,
            items=reading.items,
            extraction_status=extraction_status(reading, verdict),
            review_reasons=reasons,
            updated_at=at,
        )
    )
    if isinstance(verdict, Booked):
        changes.bookings.append(Booking(source, verdict.facts, reading.lines, verdict.adopts))
    changes.write(connection)
    status = "review_required" if reasons else "succeeded"
    end(connection, [Ended(source, status, 1, at, completed_at=at)], keep=["attempts"])
    return Corrected(status, reasons)


def _checked(said: Correction) -> Correction:
    """Return a correction whose value fits its field. Raises UsageError, which never quotes the receipt."""
    value = _plain(said.value)
    checked = replace(said, value=value)
    if said.item:
        known, document = said.field in ITEM_PARTS, _item(said.field, value)
    elif said.field in {ACCEPTED, BOOKING}:
        _check_choice(checked)
        return checked
    else:
        known, document = said.field in SINGLE_FIELDS, {said.field: {"value": value}}
    if not known:
        raise UsageError(f"no field is called {said.field}", remedy=f"Fields: {', '.join(SINGLE_FIELDS)}.")
    try:
        Receipt.model_validate_json(json.dumps(document))
        if said.field == "transaction_date" and value is not None:
            date.fromisoformat(value)
    except (ValidationError, ValueError):
        raise UsageError(f"this is no {said.field}", remedy=_FORMS.get(said.field, _AMOUNT)) from None
    return checked


def _item(part: str, value: str | None) -> dict[str, Any]:
    given: Any = value == "true" if part == "void" else value
    return {"items": [{"description": "", part: given}]}


def _check_choice(said: Correction) -> None:
    if said.field == BOOKING and said.value != NEW and not (said.value or "").isdigit():
        raise UsageError("a booking is chosen by its number, or `new`")
    if said.field == ACCEPTED and said != ACCEPT:
        raise UsageError("an acceptance has no value")


def _plain(value: str | None) -> str | None:
    """Return what was meant: nothing for white space, 1007.50 for 1 007,50."""
    text = (value or "").strip()
    if _DECIMAL_COMMA.fullmatch(text):
        text = text.replace(" ", "").replace(",", ".")
    return text or None


_AMOUNT: Final = "Write an amount as 1007.50, without a currency."
_FORMS: Final = {
    "transaction_date": "Write a date as 2026-08-14.",
    "transaction_time": "Write a time as 17:05 or 17:05:30.",
    "currency": "Write the three letters of the currency, such as EUR.",
    "country": "Write the two letters of the country, such as DE.",
    "receipt_type": "Write purchase or refund.",
    "card_last4": "Write the last four digits.",
}
