"""The text of a receipt comes in; its currency, its country, and how each is known, go out."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Final

from ledger_tasks.extraction.hints import DateOrder


@dataclass(frozen=True, slots=True)
class Sign:
    """One piece of evidence: what stands in the text and what it speaks for; `weight` compares signs."""

    pattern: re.Pattern[str]
    value: str
    weight: int


def _signs(table: Iterable[tuple[str, str, int]]) -> tuple[Sign, ...]:
    return tuple(Sign(re.compile(pattern), value, weight) for pattern, value, weight in table)


_CURRENCY: Final = _signs(
    [
        (r"(?<![A-Za-z])RM ?(?=[\d.,-]|$|\W)|\bMYR\b|(?<=\d)RM\b|\(RM\)", "MYR", 3),
        (r"€|\bEUR\b|\bEURO?S?\b", "EUR", 3),
        (r"£|\bGBP\b", "GBP", 3),
        (r"\bUSD\b|US ?\$", "USD", 4),
        (r"\bSGD\b|S\$(?= ?\d)", "SGD", 4),
        (r"\bAUD\b|A\$(?= ?\d)", "AUD", 4),
        (r"\bCAD\b|C(?:AN)?\$(?= ?\d)", "CAD", 4),
        (r"\bMXN\b|\bM\.?N\.?(?=\W|$)", "MXN", 4),
        (r"\bCHF\b|\bS?Fr\. ?(?=\d)|\bSFr\b", "CHF", 4),
        (r"₽|\bRUB\b", "RUB", 4),
        (r"\bBYN\b|(?i:\bбел\. ?руб)", "BYN", 5),
        (r"₸|\bKZT\b|(?i:(?<=\d)\s?тг\b)|(?i:\bтенге\b)", "KZT", 4),
        (r"₴|\bUAH\b|(?i:\bгрн)", "UAH", 4),
        (r"\bIDR\b|\bRp\.? ?(?=\d)", "IDR", 3),
        (r"\bJPY\b|¥|円", "JPY", 2),
        (r"₹|\bINR\b", "INR", 3),
        (r"\bPLN\b|\bzł\b", "PLN", 3),
        (r"\bCZK\b|\bKč\b", "CZK", 3),
        (r"\bSEK\b", "SEK", 3),
        (r"\bNOK\b", "NOK", 3),
        (r"\bDKK\b", "DKK", 3),
    ]
)
_DOLLAR: Final = re.compile(r"(?<![A-Z])\$ ?-?\d|\d ?\$")
_DOLLARS_OF: Final = {
    "US": "USD",
    "CA": "CAD",
    "AU": "AUD",
    "SG": "SGD",
    "NZ": "NZD",
    "HK": "HKD",
    "MX": "MXN",
    "MY": "MYR",
}
_ROUBLE: Final = re.compile(r"(?i)\bруб")
_ROUBLES_OF: Final = {"RU": "RUB", "BY": "BYN"}

_COUNTRY: Final = _signs(
    [
        (r"(?i)\bsdn\.? ?bhd|\bjalan\b.*\b\d{5}\b", "MY", 4),
        (
            r"(?i)\b(?:selangor|kuala lumpur|johor|penang|pulau pinang|perak|sabah|sarawak|melaka|kedah|pahang)\b",
            "MY",
            3,
        ),
        (r"(?i)\bpte\.? ?ltd|\bsingapore\b", "SG", 4),
        (r"(?i)\bGmbH\b|\bMwSt\b|\bUSt\b", "DE", 1),
        (r"(?i)\bUSt-?Id\w*\W{0,4}DE|\bSteuer-?Nr|\bDE ?\d{3} ?\d{3} ?\d{3}\b", "DE", 4),
        (r"\bCHE[- .]?\d{3}", "CH", 5),
        (r"\bATU ?\d{8}\b", "AT", 5),
        (r"(?i)\bTVA\b|\bS\.?A\.?R\.?L\b", "FR", 1),
        (r"(?i)\bSIRET\b|\bSIREN\b|\bFR ?\d{2} ?\d{9}\b", "FR", 4),
        (r"\bBE ?0?\d{3}[. ]?\d{3}[. ]?\d{3}\b", "BE", 5),
        (r"(?i)\bC\.?I\.?F\b\.?[ :]*[A-Z]?-?\d|\bN\.?I\.?F\b\.?[ :]*[A-Z]?-?\d", "ES", 4),
        (r"(?i)\bS\.L\.U?\.?(?:\W|$)|\bI\.?V\.?A\b", "ES", 1),
        (r"\bR\.?F\.?C\b\.?[ :]|\bCDMX\b|(?i:\bméxico\b)", "MX", 5),
        (r"(?i)\bИНН\b", "RU", 3),
        (r"(?i)\bООО\b|\bНДС\b|\bЗАО\b", "RU", 1),
        (r"(?i)\bУНП\b", "BY", 5),
        (r"(?i)\bБИН\b|\bИИН\b", "KZ", 5),
        (r"\b[A-Z]{2},? \d{5}(?:-\d{4})?\b", "US", 3),
        (r"(?i)\bsales tax\b|\bLLC\b|\(\d{3}\) ?\d{3}-\d{4}\b", "US", 3),
        (r"(?i)\bVAT (?:No|Reg|Number)|\bGB ?\d{3} ?\d{4} ?\d{2}\b|\b[A-Z]{1,2}\d{1,2}[A-Z]? \d[A-Z]{2}\b", "GB", 3),
        (r"\bIE ?\d{7}[A-Z]{1,2}\b|(?i:\beircode\b)", "IE", 5),
        (r"(?i)\bABN\b[ :]*\d|\b(?:NSW|VIC|QLD|TAS)\b,? \d{4}\b", "AU", 4),
        (r"\b[A-Z]\d[A-Z] ?\d[A-Z]\d\b|\bHST\b", "CA", 4),
        (r"(?i)\bGSTIN\b", "IN", 5),
        *(
            (rf"\+ ?{code}(?=[ ()\d-])", place, 4)
            for code, place in (
                *(("41", "CH"), ("43", "AT"), ("49", "DE"), ("33", "FR"), ("32", "BE"), ("34", "ES"), ("44", "GB")),
                *(("353", "IE"), ("60", "MY"), ("65", "SG"), ("61", "AU"), ("52", "MX"), ("375", "BY"), ("7 ?7", "KZ")),
            )
        ),
    ]
)
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

_ORDER_OF: Final[dict[str, DateOrder]] = {"US": "MDY"}
"""Countries that write the month first; every other country we know writes the day first."""


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


def country(text: str) -> Known | None:
    """Return the country that the text speaks for most."""
    return _strongest(_COUNTRY, text)


def currency(text: str, place: str | None) -> Known | None:
    """Return the printed currency; a lone dollar or rouble is that of the country."""
    printed = _strongest(_CURRENCY, text)
    if printed:
        return printed
    for sign, used, usual in ((_DOLLAR, _DOLLARS_OF, "USD"), (_ROUBLE, _ROUBLES_OF, "RUB")):
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
