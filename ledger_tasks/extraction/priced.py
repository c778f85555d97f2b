"""Rows of a receipt come in; every amount with the role that its words give it goes out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from ledger_tasks.extraction.labels import Role, is_tax_summary, role
from ledger_tasks.extraction.lines import Row
from ledger_tasks.extraction.money import Amount, amounts, repair

_WORDS: Final = re.compile(r"[^\W\d_]{2,}")
_CURRENCY_WORDS: Final = re.compile(r"(?i)\b(?:rm|myr|eur|usd|gbp|sgd|chf|rub|руб|sr|zr|tx|kg|pcs?)\b\.?")


_FACTORS: Final = re.compile(
    r"\W*\d+(?:[.,]\d{1,3})? ?(?:kg|l|pcs?|st|шт)?\.? ?[x×X*@] ?"
    r"\W*[A-Z$€£]{0,3} ?\d+[.,]\d{2}(?: ?[A-Z€$£]{0,3}/\w+)?\W*$"
)
"""A row that holds nothing but a quantity and a price of the item beside it."""

LARGEST_STEP: Final = Decimal(1)
"""No currency rounds cash by so much: an amount labelled as rounding is then the rounded total."""

ROUNDED_TOTAL: Final = 5
"""As plain as a total after rounding can be named."""

_NO_PRICE: Final = re.compile(r"(?i) ?(?:%|(?:uhr|h|[ap]\.?m)\b)")
"""What follows a rate or a time of day."""

_SIGN: Final = re.compile(r"(?:RM|[$€£₽]|EUR|USD|GBP|CHF) ?$")


@dataclass(frozen=True, slots=True)
class Priced:
    """One amount in its row. `weight` says how plainly its words name the role; `label` are those words."""

    amount: Amount
    row: Row
    index: int
    role: Role
    weight: int
    label: str
    in_tax_summary: bool

    @property
    def printed(self) -> str:
        """Return the amount as printed, with the currency before it."""
        before = _SIGN.search(repair(self.row.text)[: self.amount.start])
        return (before[0] if before else "") + self.amount.raw

    @property
    def value(self) -> Decimal:
        """Return the value."""
        return self.amount.value


def priced(rows: Sequence[Row]) -> list[Priced]:
    """Return the amounts that are written like prices, in reading order."""
    found: list[Priced] = []
    summary = False
    texts = [repair(row.text) for row in rows]
    for index, (row, text) in enumerate(zip(rows, texts, strict=True)):
        summary = summary or is_tax_summary(text)
        prices = [each for each in amounts(text) if each.is_price and not _NO_PRICE.match(text, each.end)]
        if not prices:
            continue
        if _FACTORS.match(text):
            found.append(Priced(prices[-1], row, index, Role.FACTOR, 1, "", summary))
            continue
        label = text[: prices[0].start]
        if not has_words(label):
            near, after = _neighbour(texts, index), text[prices[-1].end :]
            label = after if has_words(after) and role(near)[0] is Role.OTHER else near
        for number, price in enumerate(prices):
            between = text[prices[number - 1].end : price.start] if number else ""
            words = between if number and has_words(between) else label
            name, weight = role(words)
            if name is Role.ROUNDING and abs(price.value) >= LARGEST_STEP:
                name, weight = Role.TOTAL, ROUNDED_TOTAL
            found.append(Priced(price, row, index, name, weight, words.strip(), summary))
    return found


def turned(found: Sequence[Priced]) -> list[Priced]:
    """Return the amounts with the other sign, as a refund is counted."""
    return [
        replace(
            each, amount=replace(each.amount, value=-each.value, others=tuple(-other for other in each.amount.others))
        )
        for each in found
    ]


def has_words(text: str) -> bool:
    """Say whether a text holds a word that is more than a currency or a tax code."""
    return bool(_WORDS.search(_CURRENCY_WORDS.sub(" ", text)))


def _neighbour(texts: Sequence[str], index: int) -> str:
    """Return the words of the row above, else below, when that row has no amount of its own."""
    for near in (index - 1, index + 1):
        is_label = 0 <= near < len(texts) and has_words(texts[near])
        if is_label and not any(each.is_price for each in amounts(texts[near])):
            return texts[near]
    return ""
