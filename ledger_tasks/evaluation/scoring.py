"""A receipt as read and its truth come in; which fields are right, by the rules of EXTRACTION, goes out."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Final

from contracts.receipts.receipt import Receipt
from ledger_tasks.extraction.dates import dates
from ledger_tasks.extraction.money import amounts

FIELDS: Final = ("company", "address", "date", "total")
FAR_FUTURE: Final = date(2100, 1, 1)
"""Truth is not judged for plausibility."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One field of one receipt: right by value (or letters and digits), and right to the letter."""

    field: str
    expected: str
    found: str
    loose: bool
    strict: bool


def judge(receipt: Receipt, truth: Mapping[str, str]) -> list[Verdict]:
    """Compare each field that the truth names."""
    read = {
        "company": (receipt.merchant.value, receipt.merchant.value),
        "address": (receipt.address.value, receipt.address.value),
        "date": (receipt.transaction_date.value, receipt.transaction_date.raw),
        "total": (receipt.total.value, receipt.total.raw),
    }
    verdicts = []
    for field in FIELDS:
        expected = str(truth.get(field) or "").strip()
        if expected:
            value, raw = read[field]
            loose = _same(field, expected, value or "")
            strict = folded(expected) in {folded(value or ""), folded(raw or "")}
            verdicts.append(Verdict(field, expected, value or "", loose, strict))
    return verdicts


def folded(text: str) -> str:
    """Fold case and spaces: the competition's rule."""
    return " ".join(text.upper().split())


def _same(field: str, expected: str, value: str) -> bool:
    match field:
        case "total":
            return bool(value) and _number(expected) == Decimal(value)
        case "date":
            return bool(value) and date.fromisoformat(value) in _days(expected)
        case _:
            return _characters(expected) == _characters(value)


def _characters(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _number(text: str) -> Decimal | None:
    found = amounts(re.sub(r"(?i)rm|\$|\s", "", text))
    try:
        return found[0].value if found else Decimal(text)
    except InvalidOperation:
        return None


def _days(text: str) -> set[date]:
    """Return the days a written truth may mean; day first where both orders are possible, as in its country."""
    return {found.days[0][1] for found in dates(text, FAR_FUTURE)}
