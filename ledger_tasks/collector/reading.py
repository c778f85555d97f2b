"""PURE. What the reader read and what people said come in; what the receipt says comes out, with open questions."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cached_property
from hashlib import sha256
from typing import Any, Final

from contracts.receipts.receipt import SINGLE_FIELDS, Receipt
from contracts.wire import canonical
from ledger_tasks.storage.corrections import BOOKING, COPY, Correction
from ledger_tasks.storage.expenses import Facts, Line
from ledger_tasks.storage.likeness import Signs

ACCEPTED: Final = "accepted"
"""Correction by which a person took responsibility for the facts as they stand; its value is their digest."""

MUST: Final = {
    "merchant": "MERCHANT_MISSING",
    "transaction_date": "DATE_MISSING",
    "currency": "CURRENCY_UNKNOWN",
    "total": "TOTAL_MISSING",
}
"""Fields without which nothing can be booked, and the reason that says so."""

Fields = dict[str, Any]


@dataclass(frozen=True)
class Reading:
    """A receipt with its corrections applied; `reasons` is empty exactly when it can be booked as it stands."""

    fields: dict[str, Fields]
    items: list[Fields]
    tax_lines: list[Fields]
    payments: list[Fields]
    raw_text: str
    confidence: float
    read_status: str
    read_reasons: tuple[str, ...]
    reasons: tuple[str, ...]
    accepted: bool
    booking: str | None
    page_signature: str | None

    @cached_property
    def values(self) -> dict[str, str | None]:
        """Return the single fields by name."""
        return {name: field["value"] for name, field in self.fields.items()}

    @property
    def copy_of(self) -> str | None:
        """Return the hash of the receipt that this one is a copy of, as a person said."""
        return self.booking.removeprefix(COPY) if self.booking and self.booking.startswith(COPY) else None

    @cached_property
    def facts(self) -> Facts | None:
        """Return what makes a booking, or None when a part of it is missing or no date of the calendar."""
        signs = self.signs
        if signs is None or signs.merchant is None or signs.date is None:
            return None
        return Facts(signs.merchant, signs.date, signs.currency, signs.total)

    @property
    def signs(self) -> Signs | None:
        """Return what the receipt is known again by, None without an amount."""
        said = self.values
        if said["currency"] is None or said["total"] is None:
            return None
        return Signs(
            said["merchant"],
            _day(said["transaction_date"]),
            said["currency"],
            Decimal(said["total"]),
            _time(said["transaction_time"]),
            said["receipt_number"],
            self.page_signature,
        )

    @property
    def lines(self) -> list[Line]:
        """Return the lines to book: the items that are not void."""
        parts = ("description", "quantity", "unit_price", "total", "code")
        kept = [item for item in self.items if not item["void"]]
        return [Line(position, *(item[part] for part in parts)) for position, item in enumerate(kept, start=1)]


def read(receipt: Receipt, corrections: Sequence[Correction], page_signature: str | None = None) -> Reading:
    """Apply what people said to what was read; a corrected part keeps what was read under `read`."""
    whole = receipt.model_dump(mode="json")
    said = {each.field: each.value for each in corrections if not each.item}
    fields = {name: _corrected(whole[name], said[name]) if name in said else whole[name] for name in SINGLE_FIELDS}
    accepted = said.get(ACCEPTED) == facts_digest(fields)
    reasons = () if accepted else _open_reasons(receipt, fields, said)
    return Reading(
        fields=fields,
        items=_corrected_items(whole["items"], corrections),
        tax_lines=whole["tax_lines"],
        payments=whole["payments"],
        raw_text=receipt.raw_text,
        confidence=receipt.extraction_confidence,
        read_status=receipt.extraction_status,
        read_reasons=receipt.review_reasons,
        reasons=reasons,
        accepted=accepted,
        booking=said.get(BOOKING),
        page_signature=page_signature,
    )


def as_read(fields: dict[str, Fields], items: Iterable[Fields]) -> tuple[dict[str, Fields], list[Fields]]:
    """Take the corrections back: return the fields and items as the reader gave them."""
    bare = [dict(item.get("read", item)) for item in items]
    for item in bare:
        item.pop("key", None)
    return {name: field.get("read", field) for name, field in fields.items()}, bare


def facts_digest(fields: dict[str, Fields]) -> str:
    """Return what an acceptance stands for: it lapses when another reading says other facts."""
    return sha256(canonical([fields[name]["value"] for name in MUST])).hexdigest()


def _day(said: str | None) -> date | None:
    """Return a day of the calendar."""
    try:
        return date.fromisoformat(said) if said else None
    except ValueError:
        return None


def _time(said: str | None) -> str | None:
    """Return the time of day as the database writes it."""
    return f"{said}:00" if said and said.count(":") == 1 else said


def _corrected(field: Fields, value: str | None) -> Fields:
    return field | {"value": value, "confidence": 1.0, "source": "human", "status": "corrected", "read": field}


def _open_reasons(receipt: Receipt, fields: dict[str, Fields], said: dict[str, str | None]) -> tuple[str, ...]:
    answered = tuple(f"{_topic(name)}_" for name in said)
    reasons = [reason for reason in receipt.review_reasons if not reason.startswith(answered)]
    for name, reason in MUST.items():
        if fields[name]["value"] is None and not any(each.startswith(f"{_topic(name)}_") for each in reasons):
            reasons.append(reason)
    return tuple(reasons)


def _topic(field: str) -> str:
    """Return how a reason about this field begins, before its underscore: TOTAL of TOTAL_AMBIGUOUS."""
    return field.removeprefix("transaction_").upper()


def _corrected_items(items: list[Fields], corrections: Sequence[Correction]) -> list[Fields]:
    """Find each corrected item by its content as it was read; give every item its key, so that it can be named."""
    seen: Counter[str] = Counter()
    result = []
    for item in items:
        content = sha256(canonical(item)).hexdigest()[:16]
        seen[content] += 1
        key = f"{content}.{seen[content]}"
        parts: Fields = {each.field: each.value for each in corrections if each.item == key}
        if "void" in parts:
            parts["void"] = parts["void"] == "true"
        result.append(item | parts | {"key": key} | ({"read": item} if parts else {}))
    return result
