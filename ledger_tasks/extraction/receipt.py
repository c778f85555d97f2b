"""Recognized lines and what earlier receipts taught come in; the receipt with evidence and doubt goes out."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Final

from contracts.receipts.receipt import RAW_TEXT_LIMIT, Extracted, Receipt, TaxLine
from ledger_tasks.extraction import found as fields
from ledger_tasks.extraction import gate, numbers, places, votes
from ledger_tasks.extraction.checks import Parts, Reason, failed, one
from ledger_tasks.extraction.dating import Dated, dated, implausible
from ledger_tasks.extraction.goods import goods
from ledger_tasks.extraction.hints import Hints, MerchantHint
from ledger_tasks.extraction.labels import Role
from ledger_tasks.extraction.lines import Line, Row, rows
from ledger_tasks.extraction.merchants import Head, head
from ledger_tasks.extraction.money import plain
from ledger_tasks.extraction.paying import payments
from ledger_tasks.extraction.priced import Priced, priced
from ledger_tasks.extraction.refunds import due, receipt_type
from ledger_tasks.extraction.taxes import tax_lines
from ledger_tasks.extraction.totals import TotalFound

VERSION: Final = "3"
"""Raised whenever the same lines may give another receipt."""


def extract(
    lines: Sequence[Line],
    source: str,
    *,
    hints: Hints,
    today: date,
    second: Sequence[Line] = (),
    closer: Sequence[Line] = (),
) -> Receipt:
    """Return what the lines say. `source` names what read them.

    `second` is what another engine read in the decisive rows, `closer` what the same one read in the date's, enlarged.
    """
    seen = rows(lines)
    text = "\n".join(row.text for row in seen)
    amounts = priced(seen)
    found = due(seen, amounts)
    country, currency = places.place_of(text, found.chosen.row.text if found else "")
    place = country.value
    top = head(seen, accents=place not in places.WITHOUT_ACCENTS)
    known = hints.about(top.name or "")
    taught = f"{fields.RULE}: earlier receipts of {known.name or top.name} ({hints.revision})"
    usual = places.date_order_of(place)
    parts = Parts(
        seen, amounts, found, dated(seen, today, known.date_order or usual), goods(seen, amounts), _mean(lines), source
    )

    if known.currency and currency.status != "ok":
        currency = fields.by_rule(known.currency, currency.raw or "", 0.99, source=taught)
    is_taught_day = known.date_order not in {None, usual} and parts.dated and not parts.dated.found.is_certain
    day = _date(parts.dated, taught if is_taught_day else source, second, closer, today)
    payable = _total(parts.total, source, second)
    first_day = places.earliest(text, country.value, currency.value)
    reasons = (
        [*_doubts(parts, day, payable, currency, top, today), *failed(parts, first_day, today)]
        if seen
        else [Reason.NO_TEXT]
    )
    sure = min(day.confidence, payable.confidence)
    lines_of_tax = tax_lines(amounts)
    paid = payments(seen, amounts)
    return Receipt(
        merchant=_merchant(top, known, source, taught),
        address=_row_field(top.address, top.address_rows, source),
        phone=numbers.phone(seen, source),
        tax_ids=numbers.tax_ids(seen, source),
        transaction_date=day,
        transaction_time=numbers.time_of(seen, parts.dated.row if parts.dated else None, source),
        currency=currency,
        country=country,
        receipt_type=receipt_type(seen, found),
        receipt_number=numbers.receipt_number(seen, source),
        subtotal=fields.money(one(amounts, Role.SUBTOTAL), source),
        tax_total=_tax_total(amounts, lines_of_tax, source),
        tip=fields.money(one(amounts, Role.TIP), source),
        service_charge=fields.money(one(amounts, Role.SERVICE), source),
        discount=fields.money(one(amounts, Role.DISCOUNT), source),
        rounding=fields.money(one(amounts, Role.ROUNDING), source),
        total=payable,
        cash=fields.money(one(amounts, Role.CASH), source),
        change=fields.money(one(amounts, Role.CHANGE), source),
        payment_method=fields.by_rule(paid[0].method, "", 0.9) if paid else Extracted(value=None),
        card_last4=numbers.card_last4(seen, source),
        items=parts.goods.items,
        tax_lines=lines_of_tax,
        payments=paid,
        raw_text=text.encode()[:RAW_TEXT_LIMIT].decode(errors="ignore"),
        extraction_confidence=round(sure if not reasons else min(sure, parts.confidence), 4),
        extraction_status="review" if reasons and seen else "complete" if seen else "unreadable",
        review_reasons=tuple(dict.fromkeys(str(reason) for reason in reasons)),
    )


def _mean(lines: Sequence[Line]) -> float:
    """Return the mean confidence, by the length of the lines."""
    letters = sum(len(line.text) for line in lines)
    return sum(line.confidence * len(line.text) for line in lines) / letters if letters else 0.0


def _merchant(top: Head, known: MerchantHint, source: str, taught: str) -> Extracted[str]:
    if known.name and known.name != top.name:
        return _row_field(known.name, top.name_rows, taught)
    return _row_field(top.name, top.name_rows, source)


def _row_field(value: str | None, of: Sequence[Row], source: str) -> Extracted[str]:
    if value is None or not of:
        return Extracted(value=None)
    whole = Row(tuple(line for row in of for line in row.lines))
    return fields.field(value[:1000], "\n".join(row.text for row in of), whole, source, whole.confidence)


def _date(
    when: Dated | None, source: str, second: Sequence[Line], closer: Sequence[Line], today: date
) -> Extracted[str]:
    if when is None:
        return Extracted(value=None)
    raw = when.found.raw
    if when.day is None:
        return fields.open_field((day.isoformat() for day in when.candidates), raw, when.row, source)
    vote = votes.confirms_day(second, when.day, today)
    confidence = gate.date_confidence(when, when.line_confidence, second=vote)
    days = [when.day, *when.rivals]
    clearer = votes.clearer_day(closer, when, today)
    if clearer is not None and clearer != when.day:
        days, confidence = [clearer, *days], gate.DATE_CONTRADICTED.probability
    chosen, *others = (day.isoformat() for day in days)
    return fields.field(chosen, raw, when.row, source, confidence, alternatives=others)


def _total(due: TotalFound | None, source: str, second: Sequence[Line]) -> Extracted[str]:
    if due is None:
        return Extracted(value=None)
    vote = votes.confirms_amount(second, due.chosen.value)
    confidence = gate.total_confidence(due, second=vote)
    others = tuple(plain(value) for value, _ in due.rivals)
    is_open = due.lead < 1
    return fields.field(
        plain(due.chosen.value),
        due.chosen.printed,
        due.chosen.row,
        source,
        confidence,
        alternatives=others,
        ambiguous=is_open,
    )


def _doubts(
    parts: Parts, day: Extracted[str], due: Extracted[str], currency: Extracted[str], top: Head, today: date
) -> list[Reason]:
    """Return why the must fields cannot be taken as they are."""
    reasons = []
    if day.value is None and day.alternatives:
        reasons.append(Reason.DATE_AMBIGUOUS)
    elif day.value is None:
        reasons.append(Reason.DATE_IMPLAUSIBLE if implausible(parts.rows, today) else Reason.DATE_MISSING)
    elif day.confidence < gate.ACCEPT:
        reasons.append(Reason.DATE_UNCONFIRMED)
    if due.value is None:
        reasons.append(Reason.TOTAL_MISSING)
    elif due.status == "ambiguous":
        reasons.append(Reason.TOTAL_AMBIGUOUS)
    elif due.confidence < gate.ACCEPT:
        reasons.append(Reason.TOTAL_UNCONFIRMED)
    if currency.value is None:
        reasons.append(Reason.CURRENCY_UNKNOWN)
    elif currency.status == "ambiguous":
        reasons.append(Reason.CURRENCY_AMBIGUOUS)
    if top.name is None:
        reasons.append(Reason.MERCHANT_MISSING)
    return reasons


def _tax_total(amounts: Sequence[Priced], lines: Sequence[TaxLine], source: str) -> Extracted[str]:
    """Return the printed tax, else the sum of the tax lines."""
    printed = one(amounts, Role.TAX)
    if printed is None and lines:
        return fields.by_rule(plain(sum((Decimal(line.amount or 0) for line in lines), Decimal(0))), "", 0.9)
    return fields.money(printed, source)
