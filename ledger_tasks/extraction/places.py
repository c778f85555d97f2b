"""The text of a receipt comes in; its currency, its country, and how each is known, go out."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
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
        (r"\bCHF\b|\bSFr\.?", "CHF", 4),
        (r"₽|\bRUB\b|(?i:\bруб)", "RUB", 3),
        (r"\bIDR\b|\bRp\.? ?(?=\d)", "IDR", 3),
        (r"\bJPY\b|¥|円", "JPY", 2),
        (r"₹|\bINR\b", "INR", 3),
        (r"\bPLN\b|\bzł\b", "PLN", 3),
        (r"\bCZK\b|\bKč\b", "CZK", 3),
        (r"\bSEK\b", "SEK", 3),
        (r"\bNOK\b", "NOK", 3),
        (r"\bDKK\b", "DKK", 3),
        (r"\bMXN\b", "MXN", 4),
        (r"₴|\bUAH\b", "UAH", 3),
    ]
)
_DOLLAR: Final = re.compile(r"(?<![A-Z])\$ ?-?\d|\d ?\$")
_DOLLARS_OF: Final = {"US": "USD", "CA": "CAD", "AU": "AUD", "SG": "SGD", "NZ": "NZD", "HK": "HKD", "MX": "MXN"}

_COUNTRY: Final = _signs(
    [
        (r"(?i)\bsdn\.? ?bhd|\bs/b\b.*\bgst\b|\bjalan\b.*\b\d{5}\b", "MY", 4),
        (
            r"(?i)\b(?:selangor|kuala lumpur|johor|penang|pulau pinang|perak|sabah|sarawak|melaka|kedah|pahang)\b",
            "MY",
            3,
        ),
        (r"(?i)\bpte\.? ?ltd|\bsingapore\b", "SG", 4),
        (r"(?i)\bGmbH\b|\bMwSt\b|\bUSt-?Id|\bSteuer-?Nr|\bKG\b.*\bAG\b", "DE", 3),
        (r"(?i)\bCHE-\d{3}", "CH", 5),
        (r"\bATU\d{8}\b", "AT", 5),
        (r"(?i)\bTVA\b|\bS\.?A\.?R\.?L\b|\bSIRET\b|\bSIREN\b", "FR", 3),
        (
            r"(?i)\bC\.?I\.?F\.?\b[ :]*[A-Z]?-?\d|\bN\.?I\.?F\.?\b[ :]*[A-Z]?-?\d|\bS\.L\.U?\.?(?:\W|$)|\bI\.?V\.?A\b",
            "ES",
            3,
        ),
        (r"(?i)\bООО\b|\bИНН\b|\bНДС\b|\bЗАО\b", "RU", 4),
        (r"\b[A-Z]{2},? \d{5}(?:-\d{4})?\b", "US", 3),
        (r"(?i)\bsales tax\b|\bLLC\b|\b\(\d{3}\) ?\d{3}-\d{4}\b", "US", 3),
        (r"(?i)\bVAT (?:No|Reg|Number)|\bGB ?\d{3} ?\d{4} ?\d{2}\b|\bLtd\b.*\bUK\b", "GB", 3),
        (r"(?i)\bABN\b[ :]*\d", "AU", 4),
        (r"(?i)\bGSTIN\b", "IN", 5),
    ]
)
_CURRENCY_OF: Final = {
    "MY": "MYR",
    "SG": "SGD",
    "DE": "EUR",
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


@dataclass(frozen=True, slots=True)
class Known:
    """A value with the printed text that speaks for it, and what else the text speaks for."""

    value: str
    raw: str
    others: tuple[str, ...] = ()


def country(text: str) -> Known | None:
    """Return the country that the text speaks for most."""
    return _strongest(_COUNTRY, text)


def currency(text: str, place: str | None) -> Known | None:
    """Return the printed currency; a lone dollar sign is that of the country."""
    printed = _strongest(_CURRENCY, text)
    if printed:
        return printed
    dollar = _DOLLAR.search(text)
    if dollar and place in _DOLLARS_OF:
        return Known(_DOLLARS_OF[place], dollar[0])
    if dollar:
        return Known("USD", dollar[0], ("CAD", "AUD"))
    return None


def country_of(money: str | None) -> str | None:
    """Return the only country that pays with a currency."""
    return next((place for place, used in _CURRENCY_OF.items() if used == money and money != "EUR"), None)


def currency_of(place: str | None) -> str | None:
    """Return the currency in which a country pays."""
    return _CURRENCY_OF.get(place) if place else None


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
