"""Recognized lines and what earlier receipts taught come in; the receipt with evidence and doubt goes out."""

from collections.abc import Sequence
from datetime import date
from typing import Final

from contracts.receipts.receipt import RAW_TEXT_LIMIT, Extracted, Receipt
from ledger_tasks.extraction import places
from ledger_tasks.extraction.dates import dates
from ledger_tasks.extraction.hints import Hints
from ledger_tasks.extraction.lines import Line, Row, rows
from ledger_tasks.extraction.money import plain
from ledger_tasks.extraction.totals import total

VERSION: Final = "1"
"""Raised whenever the same lines may give another receipt."""


def extract(lines: Sequence[Line], source: str, *, hints: Hints, today: date) -> Receipt:
    """Return what the lines say. `source` names the engine or text layer that read them."""
    found = rows(lines)
    text = "\n".join(row.text for row in found)
    country = places.country(text)
    place = country.value if country else hints.country
    money = places.currency(text, place)
    reasons: list[str] = []
    when = _date(found, source, place, hints, today)
    due = total(found)
    amount: Extracted[str] = Extracted(value=None)
    if due:
        amount = Extracted(
            value=plain(due.amount.value),
            raw=due.amount.raw,
            confidence=due.confidence,
            source=source,
            page=due.row.page,
            box=due.row.box,
            alternatives=tuple(plain(other) for other in due.others),
            status="ok" if not due.others else "ambiguous",
        )
    currency = money.value if money else places.currency_of(place)
    if when.status != "ok":
        reasons.append("DATE_MISSING" if when.value is None and not when.alternatives else "DATE_AMBIGUOUS")
    if amount.status != "ok":
        reasons.append("TOTAL_MISSING" if amount.value is None else "TOTAL_AMBIGUOUS")
    if currency is None:
        reasons.append("CURRENCY_UNKNOWN")
    merchant = found[0].text if found else None
    return Receipt(
        merchant=Extracted(value=merchant, raw=merchant, confidence=0.5, source=source, status="ok")
        if merchant
        else Extracted(value=None),
        transaction_date=when,
        total=amount,
        currency=Extracted(value=currency, raw=money.raw if money else None, confidence=0.9, source=source, status="ok")
        if currency
        else Extracted(value=None),
        raw_text=text.encode()[:RAW_TEXT_LIMIT].decode(errors="ignore"),
        extraction_confidence=min(when.confidence, amount.confidence),
        extraction_status="unreadable" if not found else "review" if reasons else "complete",
        review_reasons=tuple(reasons) if found else ("NO_TEXT",),
    )


def _date(found: Sequence[Row], source: str, place: str | None, hints: Hints, today: date) -> Extracted[str]:
    order = places.date_order_of(place) or hints.date_order
    for row in found:
        for candidate in dates(row.text, today):
            days = [day for known, day in candidate.days if known == order] or [day for _, day in candidate.days]
            certain = len(set(days)) == 1
            return Extracted(
                value=days[0].isoformat() if certain else None,
                raw=candidate.raw,
                confidence=0.9 if certain else 0.4,
                source=source,
                page=row.page,
                box=row.box,
                alternatives=() if certain else tuple(day.isoformat() for day in days),
                status="ok" if certain else "ambiguous",
            )
    return Extracted(value=None)
