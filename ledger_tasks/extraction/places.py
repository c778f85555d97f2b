"""The text of a receipt comes in; its currency, its country, and how each is known, go out."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Final

from contracts.receipts.receipt import Extracted
from ledger_tasks.extraction.found import by_rule
from ledger_tasks.extraction.hints import DateOrder
from ledger_tasks.extraction.signs import COUNTRIES, CURRENCIES, DOLLAR, DOLLARS_OF, ROUBLE, ROUBLES_OF, Sign
from ledger_tasks.extraction.spelling import without_accents

_CURRENCY_OF: Final = {
    "MY": "MYR",
    "SG": "SGD",
    "DE": "EUR",
    "BE": "EUR",
    "IE": "EUR",
    "MX": "MXN",
    "BY": "BYN",
    "KZ": "KZT",
    "CA": "CAD",
    "AT": "EUR",
    "FR": "EUR",
    "ES": "EUR",
    "CH": "CHF",
    "RU": "RUB",
    "US": "USD",
    "GB": "GBP",
    "AU": "AUD",
    "IN": "INR",
}
WITHOUT_ACCENTS: Final = frozenset({"MY", "SG", "US", "GB", "AU", "IN"})
"""Countries whose shops write without accents."""

_ORDER_OF: Final[dict[str, DateOrder | None]] = {"US": "MDY", "CA": None, "PH": None}
"""Countries that write the month first, or (None) both ways; every other country we know writes the day first."""


_TAX_SINCE: Final = {
    ("MY", "GST"): date(2015, 4, 1),
    ("AU", "GST"): date(2000, 7, 1),
    ("IN", "GST"): date(2017, 7, 1),
}
_CURRENCY_SINCE: Final = {"EUR": date(2002, 1, 1), "BYN": date(2016, 7, 1), "MXN": date(1993, 1, 1)}


@dataclass(frozen=True, slots=True)
class Known:
    """A value with the printed text that speaks for it, and what else the text speaks for."""

    value: str
    raw: str
    others: tuple[str, ...] = ()
    is_open: bool = False


def place_of(text: str, total_text: str) -> tuple[Extracted[str], Extracted[str]]:
    """Return country and currency, each from the other where only one is printed; the total's own sign comes first."""
    printed = country(text)
    used = printed.value if printed else None
    money = currency(total_text, used) or currency(text, used)
    paid_in = money.value if money and not money.is_open else None
    where = printed.value if printed else country_of(paid_in)
    known = by_rule(where, printed.raw if printed else "", 0.9 if printed else 0.8) if where else None
    return known or Extracted(value=None), _currency(money, where)


def _currency(money: Known | None, where: str | None) -> Extracted[str]:
    if money:
        return by_rule(money.value, money.raw, 0.9, alternatives=money.others if money.is_open else ())
    value = currency_of(where)
    return by_rule(value, f"country {where}" if where else "", 0.8) if value else Extracted(value=None)


def country(text: str) -> Known | None:
    """Return the country that the text speaks for most; an accent may be dust."""
    return _strongest(COUNTRIES, text) or _strongest(COUNTRIES, without_accents(text))


def currency(text: str, place: str | None) -> Known | None:
    """Return the printed currency; a lone dollar or rouble is that of the country."""
    printed = _strongest(CURRENCIES, text)
    if printed:
        return printed
    for sign, used, usual in ((DOLLAR, DOLLARS_OF, "USD"), (ROUBLE, ROUBLES_OF, "RUB")):
        shown = sign.search(text)
        if shown and place in used:
            return Known(used[place], shown[0])
        if shown:
            return Known(usual, shown[0], tuple(money for money in used.values() if money != usual), is_open=True)
    return None


def country_of(money: str | None) -> str | None:
    """Return the only country that pays with a currency."""
    return next((place for place, used in _CURRENCY_OF.items() if used == money and money != "EUR"), None)


def currency_of(place: str | None) -> str | None:
    """Return the currency in which a country pays."""
    return _CURRENCY_OF.get(place) if place else None


def earliest(text: str, place: str | None, money: str | None) -> date | None:
    """Return the first day on which a receipt could name this tax or be paid in this currency."""
    taxes = [
        since for (country, tax), since in _TAX_SINCE.items() if country == place and re.search(rf"\b{tax}\b", text)
    ]
    return max([*taxes, *([_CURRENCY_SINCE[money]] if money in _CURRENCY_SINCE else [])], default=None)


def date_order_of(place: str | None) -> DateOrder | None:
    """Return the order in which a country writes numeric dates."""
    return _ORDER_OF.get(place, "DMY") if place else None


def _strongest(signs: Iterable[Sign], text: str) -> Known | None:
    weights: dict[str, int] = {}
    first: dict[str, str] = {}
    for sign in signs:
        for match in sign.pattern.finditer(text):
            weights[sign.value] = weights.get(sign.value, 0) + sign.weight
            first.setdefault(sign.value, match[0].strip())
    if not weights:
        return None
    order = sorted(weights, key=lambda value: -weights[value])
    return Known(order[0], first[order[0]], tuple(order[1:]))
