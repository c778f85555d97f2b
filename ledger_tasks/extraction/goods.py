"""Rows with prices come in; line items (description, quantity, unit price, total, code, void) go out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import permutations
from typing import Final

from contracts.receipts.receipt import Item
from ledger_tasks.extraction.labels import Role, letters
from ledger_tasks.extraction.lines import Row
from ledger_tasks.extraction.money import Amount, amounts, plain, repair
from ledger_tasks.extraction.priced import Priced, has_words

MAX_ITEMS: Final = 300
MAX_QUANTITY: Final = Decimal(10000)
TOLERANCE: Final = Decimal("0.011")
"""Rounding of quantity times price; scales round half a cent either way."""

_CODE: Final = re.compile(r"(?<![\d.,-])\d{5,14}(?![\d.,])")
_VOID: Final = re.compile(r"(?i)\bvoid(?:ed)?\b|\bstorno\b|\bcancel(?:led)?\b|\bannul\w*|\bсторно\b")
_TIMES: Final = re.compile(
    r"(?P<quantity>\d+(?:[.,]\d{1,3})?) ?(?:kg|l|pcs?|st)?\.? ?[x×*@] ?(?P<price>\d+[.,]\d{2,3})", re.IGNORECASE
)
_HEADER: Final = re.compile(r"qty|price|amount|description|menge|preis|artikel|prix|precio|цена|tax code")


@dataclass(frozen=True, slots=True)
class Goods:
    """The items, and the rows in which a printed `quantity x price` is not what stands beside it."""

    items: tuple[Item, ...]
    broken: tuple[Row, ...]


def goods(rows: Sequence[Row], found: Sequence[Priced]) -> Goods:
    """Read the items: the rows with a price above the first subtotal or total."""
    first = min((each.index for each in found if each.role in {Role.TOTAL, Role.SUBTOTAL}), default=0)
    last_price = {each.index: each for each in found if each.index < first and each.role in {Role.OTHER, Role.COUNT}}
    beside = {each.index: repair(each.row.text) for each in found if each.role is Role.FACTOR}
    items, broken = [], []
    for index, price in last_price.items():
        text = repair(rows[index].text)
        quantity, unit = _factors(text, price.value)
        for near in (index + 1, index - 1):
            if quantity is None and near in beside:
                quantity, unit = _factors(f"{beside[near]}  {plain(price.value)}", price.value)
        items.append(
            Item(
                description=_description(rows, index, set(last_price))[:1000],
                quantity=plain_number(quantity),
                unit_price=None if unit is None else plain(unit),
                total=plain(price.value),
                code=found_code[0] if (found_code := _CODE.search(text)) else None,
                void=bool(_VOID.search(text)),
            )
        )
        if _is_broken(text, price.value):
            broken.append(rows[index])
    return Goods(tuple(items[:MAX_ITEMS]), tuple(broken))


def plain_number(value: Decimal | None) -> str | None:
    """Return a quantity without trailing zeros."""
    return None if value is None else format(value.normalize(), "f")


def _factors(text: str, total: Decimal) -> tuple[Decimal | None, Decimal | None]:
    """Return the two numbers of the row whose product is its total."""
    numbers = [each for each in amounts(text) if each.value > 0 and not _CODE.fullmatch(each.raw)]
    for quantity, price in permutations(numbers[:-1], 2):
        for times in (quantity.value, *quantity.others):
            is_product = abs(times * price.value - total) <= TOLERANCE
            if is_product and price.decimals >= 2 and times <= MAX_QUANTITY and not _is_price_like(quantity, price):
                return times, price.value
    return None, None


def _is_price_like(quantity: Amount, price: Amount) -> bool:
    """Say whether the two are rather swapped: a quantity stands before its price or is a small whole number."""
    return quantity.start > price.start and quantity.value != int(quantity.value)


def _is_broken(text: str, total: Decimal) -> bool:
    times = _TIMES.search(text)
    if not times or times.end() >= len(text.rstrip()) - 3:
        return False
    product = Decimal(times["quantity"].replace(",", ".")) * Decimal(times["price"].replace(",", "."))
    return abs(product - abs(total)) > max(TOLERANCE, product * Decimal("0.005"))


def _description(rows: Sequence[Row], index: int, priced: set[int]) -> str:
    """Return the words of the row; without any, those of the row above that has no price."""
    own = _words(rows[index].text)
    if has_words(own):
        return own
    above = index - 1
    if above >= 0 and above not in priced and not _HEADER.search(letters(rows[above].text)):
        return _words(rows[above].text) or rows[above].text
    return own or rows[index].text


def _words(text: str) -> str:
    cut = re.sub(r"(?<!\w)[-+]?\d+(?:[.,]\d+)+(?!\w)[ A-Z]{0,3}$", "", text)
    cut = _TIMES.sub("", cut)
    cut = re.sub(r"(?<!\w)\d+[.,]\d{2,3}(?!\w)", "", _CODE.sub("", cut))
    return " ".join(cut.split()).strip(" -*:;")
