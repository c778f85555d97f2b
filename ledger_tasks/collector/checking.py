"""A person's words about one field come in; the value that the field can hold goes out, or why it cannot."""

import json
import re
from dataclasses import replace
from datetime import date
from typing import Any, Final

from pydantic import ValidationError

from contracts.receipts.receipt import SINGLE_FIELDS, Item, Receipt
from ledger_tasks.collector.booking import NEW
from ledger_tasks.collector.reading import ACCEPTED
from ledger_tasks.errors import UsageError
from ledger_tasks.storage.corrections import BOOKING, COPY, Correction

ACCEPT: Final = Correction(ACCEPTED, None)
"""Asks to take the facts as they stand: `correct` fills in their digest."""

ITEM_PARTS: Final = tuple(Item.model_fields)
_BOOKINGS: Final = re.compile(rf"|{NEW}|[0-9]{{1,18}}|{COPY}[0-9a-f]{{64}}")
"""Nothing takes an earlier choice back."""

_DECIMAL_COMMA: Final = re.compile(r"-?[0-9 ]+,[0-9]{1,2}")


def checked(said: Correction) -> Correction:
    """Return a correction whose value fits its field. Raises UsageError, which never quotes the receipt."""
    value = _plain(said.value)
    plain = replace(said, value=value)
    if said.item:
        known, document = said.field in ITEM_PARTS, _item(said.field, value)
    elif said.field in {ACCEPTED, BOOKING}:
        _check_choice(plain)
        return plain
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
    return plain


def _item(part: str, value: str | None) -> dict[str, Any]:
    given: Any = value == "true" if part == "void" else value
    return {"items": [{"description": "", part: given}]}


def _check_choice(said: Correction) -> None:
    if said.field == BOOKING and not _BOOKINGS.fullmatch(said.value or ""):
        raise UsageError("a booking is chosen by its number, `new`, `copy:` and the hash of the original, or nothing")
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
