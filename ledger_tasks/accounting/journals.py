"""PURE. Bookings come in; a journal of plain-text accounting goes out as bytes: Beancount or hledger."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from ledger_tasks.accounting.booking import Booking, Line

UNSORTED: Final = "Expenses:Unsorted"
"""Account of a booking that has no category."""

PAID_FROM: Final = "Assets:Unsorted"
"""Account on the other side: a receipt does not say which of the reader's accounts it was paid from."""

OPENED: Final = "1970-01-01"
"""Beancount wants every account opened before its first use; no receipt is older."""


def to_beancount(bookings: Sequence[Booking]) -> bytes:
    """One transaction per booking, its key, receipt and lines as metadata; accounts are opened first."""
    accounts = sorted({PAID_FROM, *(account(each.category) for each in bookings)})
    head = "".join(f"{OPENED} open {name}\n" for name in accounts)
    return (head + "".join(map(_beancount, bookings))).encode()


def to_hledger(bookings: Sequence[Booking]) -> bytes:
    """One transaction per booking, its key as the code, receipt and lines as comments."""
    return ("decimal-mark .\n" + "".join(map(_hledger, bookings))).encode()


def account(category: str | None) -> str:
    """Return the account of a category: `food/restaurant` is Expenses:Food:Restaurant in both programs."""
    parts = [_component(part) for part in re.split(r"[:/>]", unicodedata.normalize("NFC", category or ""))]
    named = [part for part in parts if part]
    return ":".join(("Expenses", *named)) if named else UNSORTED


def _component(part: str) -> str:
    """Keep letters, digits and hyphens, and begin with a capital or a digit, as Beancount demands."""
    kept = "".join(letter if unicodedata.category(letter)[0] == "L" or letter.isdecimal() else "-" for letter in part)
    words = re.sub(r"-+", "-", kept).strip("-")
    begun = words[:1].upper() + words[1:]
    first = unicodedata.category(begun[0]) if begun else ""
    return begun if first in {"", "Lu", "Nd"} else f"X-{begun}"


def _beancount(each: Booking) -> str:
    facts = {"ledger-key": each.business_key, "receipt": each.receipt}
    facts |= {f"item-{line.position}": _words(line) for line in each.items}
    return "\n".join(
        (
            "",
            f"{each.date} * {_quoted(each.merchant)} {_quoted('')}",
            *(f"  {name}: {_quoted(value)}" for name, value in facts.items() if value),
            f"  {account(each.category)}  {each.total} {each.currency}",
            f"  {PAID_FROM}  {_negated(each.total)} {each.currency}",
            "",
        )
    )


def _hledger(each: Booking) -> str:
    comments = [f"receipt: {each.receipt}"] if each.receipt else []
    comments += [f"item {line.position}: {_words(line)}" for line in each.items]
    return "\n".join(
        (
            "",
            f"{each.date} * ({each.business_key}) {_flat(each.merchant).replace(';', ',')}",
            *(f"    ; {_flat(comment)}" for comment in comments),
            f"    {account(each.category)}  {each.total} {each.currency}",
            f"    {PAID_FROM}  {_negated(each.total)} {each.currency}",
            "",
        )
    )


def _words(line: Line) -> str:
    times = f"{line.quantity} x " if line.quantity else ""
    price = f" at {line.unit_price}" if line.unit_price else ""
    total = f" = {line.total}" if line.total else ""
    return f"{times}{line.description}{price}{total}"


def _negated(amount: str) -> str:
    return amount[1:] if amount.startswith("-") else f"-{amount}"


def _quoted(text: str) -> str:
    escaped = _flat(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _flat(text: str) -> str:
    return " ".join(text.split())
