"""The parts of a receipt come in; a code for everything that does not fit together goes out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Final

from ledger_tasks.extraction.dating import Dated
from ledger_tasks.extraction.goods import Goods
from ledger_tasks.extraction.labels import Role
from ledger_tasks.extraction.lines import Row
from ledger_tasks.extraction.pair import two_receipts
from ledger_tasks.extraction.priced import Priced
from ledger_tasks.extraction.totals import TotalFound


class Reason(StrEnum):
    """Why a person must look."""

    NO_TEXT = "NO_TEXT"
    LOW_OCR_CONFIDENCE = "LOW_OCR_CONFIDENCE"
    DATE_MISSING = "DATE_MISSING"
    DATE_AMBIGUOUS = "DATE_AMBIGUOUS"
    DATE_IMPLAUSIBLE = "DATE_IMPLAUSIBLE"
    DATE_UNCONFIRMED = "DATE_UNCONFIRMED"
    TOTAL_MISSING = "TOTAL_MISSING"
    TOTAL_AMBIGUOUS = "TOTAL_AMBIGUOUS"
    TOTAL_UNCONFIRMED = "TOTAL_UNCONFIRMED"
    SUM_MISMATCH = "SUM_MISMATCH"
    PAYMENT_MISMATCH = "PAYMENT_MISMATCH"
    ITEMS_MISMATCH = "ITEMS_MISMATCH"
    DISCOUNT_LARGE = "DISCOUNT_LARGE"
    CURRENCY_UNKNOWN = "CURRENCY_UNKNOWN"
    CURRENCY_AMBIGUOUS = "CURRENCY_AMBIGUOUS"
    MERCHANT_MISSING = "MERCHANT_MISSING"
    TWO_RECEIPTS = "TWO_RECEIPTS"


POOR_READING: Final = 0.75
POOR_TESSERACT: Final = 0.6
"""Mean confidence of the lines below which the page was not read well enough; Tesseract thinks less of itself."""

CENT: Final = Decimal("0.01")
LARGEST_CASH_ROUNDING: Final = Decimal("0.05")
USUAL_DISCOUNT: Final = Decimal(1) / 3
"""Part of the subtotal above which a discount is unusual: a coupon, a mistake, or two amounts that may be meant."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What was found, before anything is decided."""

    rows: Sequence[Row]
    priced: Sequence[Priced]
    total: TotalFound | None
    dated: Dated | None
    goods: Goods
    confidence: float
    source: str


def failed(parts: Parts, first_day: date | None, today: date) -> Iterator[Reason]:
    """Yield the code of each check that fails; before `first_day` there was no such tax or currency."""
    if parts.dated and parts.dated.day and first_day and parts.dated.day < first_day:
        yield Reason.DATE_IMPLAUSIBLE
    if parts.confidence < (POOR_TESSERACT if parts.source == "tesseract" else POOR_READING):
        yield Reason.LOW_OCR_CONFIDENCE
    if parts.goods.broken:
        yield Reason.ITEMS_MISMATCH
    if parts.total:
        total = parts.total.chosen.value
        if _below_an_item(parts.total, parts.priced) or (
            "sum" not in parts.total.confirmed_by and _contradicts_sum(total, parts.priced)
        ):
            yield Reason.SUM_MISMATCH
        if _is_unusual_discount(parts.priced):
            yield Reason.DISCOUNT_LARGE
        if "cash less change" not in parts.total.confirmed_by and _contradicts_payment(total, parts.priced):
            yield Reason.PAYMENT_MISMATCH
    if two_receipts(parts.rows, parts.priced, today):
        yield Reason.TWO_RECEIPTS


def one(priced: Sequence[Priced], role: Role) -> Priced | None:
    """Return the amount of a role when the receipt names only one value, else None."""
    found = [each for each in priced if each.role is role and not each.in_tax_summary]
    return found[0] if found and len({abs(each.value) for each in found}) == 1 else None


def _contradicts_sum(total: Decimal, priced: Sequence[Priced]) -> bool:
    """Say whether a single subtotal with a single tax gives another amount, before and after tax alike."""
    subtotal, tax = one(priced, Role.SUBTOTAL), one(priced, Role.TAX)
    others = [each for each in priced if each.role in {Role.DISCOUNT, Role.SERVICE, Role.TIP} and each.value]
    if not subtotal or not tax or others:
        return False
    possible = (subtotal.value, subtotal.value + tax.value)
    return all(abs(total - each) > LARGEST_CASH_ROUNDING for each in possible)


def _is_unusual_discount(priced: Sequence[Priced]) -> bool:
    subtotal, discount = one(priced, Role.SUBTOTAL), one(priced, Role.DISCOUNT)
    return bool(subtotal and discount and abs(discount.value) > abs(subtotal.value) * USUAL_DISCOUNT)


def _contradicts_payment(total: Decimal, priced: Sequence[Priced]) -> bool:
    """Say whether what was paid, less the change, is another amount; cash without change was at least the total."""
    cash, change, card = (one(priced, role) for role in (Role.CASH, Role.CHANGE, Role.CARD))
    if cash and card:
        return False
    if card:
        return abs(abs(card.value) - abs(total)) > LARGEST_CASH_ROUNDING
    if cash and change:
        return abs(abs(cash.value) - abs(change.value) - total) > LARGEST_CASH_ROUNDING
    return cash is not None and abs(cash.value) < abs(total) - LARGEST_CASH_ROUNDING


def _below_an_item(found: TotalFound, priced: Sequence[Priced]) -> bool:
    """Say whether a single thing cost more than everything together, with nothing taken off."""
    above = [each for each in priced if each.index < found.chosen.index and each.role is Role.OTHER]
    if found.chosen.value < 0 or any(each.value < 0 or each.role is Role.DISCOUNT for each in priced):
        return False
    return any(each.value > found.chosen.value + LARGEST_CASH_ROUNDING for each in above)
