"""Amounts with their roles come in; the means of payment go out."""

import re
from collections.abc import Sequence
from typing import Final

from contracts.receipts.receipt import Payment
from ledger_tasks.extraction import numbers
from ledger_tasks.extraction.labels import Role, letters
from ledger_tasks.extraction.lines import Row
from ledger_tasks.extraction.money import plain
from ledger_tasks.extraction.priced import Priced

_METHODS: Final = tuple(
    (re.compile(pattern), method)
    for pattern, method in (
        (r"visa", "visa"),
        (r"master", "mastercard"),
        (r"amex|americanexpress", "amex"),
        (r"maestro", "maestro"),
        (r"girocard|^ec|eckarte", "girocard"),
        (r"debit", "debit card"),
        (r"credit|kreditkarte", "credit card"),
        (r"ewallet|grab|touch|paypal|applepay|googlepay", "wallet"),
        (r"card|karte|carte|tarjeta|карт|безнал", "card"),
        (r"cash|tunai|\bbar|especes|efectivo|наличн", "cash"),
    )
)


def payments(rows: Sequence[Row], found: Sequence[Priced]) -> tuple[Payment, ...]:
    """Return each payment once, in order."""
    last4 = numbers.card_last4(rows, "").value
    paid = []
    for each in found:
        if each.role in {Role.CASH, Role.CARD} and not each.in_tax_summary:
            method = _method(each)
            paid.append(
                Payment(method=method, amount=plain(abs(each.value)), last4=None if method == "cash" else last4)
            )
    return tuple(dict.fromkeys(paid))[:20]


def _method(each: Priced) -> str:
    key = letters(each.label)
    return next(
        (method for pattern, method in _METHODS if pattern.search(key)), "cash" if each.role is Role.CASH else "card"
    )
