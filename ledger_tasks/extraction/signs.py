"""Signs by which the text of a receipt speaks for a currency or a country; tables only."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Sign:
    """One piece of evidence: what stands in the text and what it speaks for; `weight` compares signs."""

    pattern: re.Pattern[str]
    value: str
    weight: int


def _signs(table: Iterable[tuple[str, str, int]]) -> tuple[Sign, ...]:
    return tuple(Sign(re.compile(pattern), value, weight) for pattern, value, weight in table)


CURRENCIES: Final = _signs(
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
DOLLAR: Final = re.compile(r"(?<![A-Z])\$ ?-?\d|\d ?\$")
DOLLARS_OF: Final = {
    "US": "USD",
    "CA": "CAD",
    "AU": "AUD",
    "SG": "SGD",
    "NZ": "NZD",
    "HK": "HKD",
    "MX": "MXN",
    "MY": "MYR",
}
ROUBLE: Final = re.compile(r"(?i)\bруб")
ROUBLES_OF: Final = {"RU": "RUB", "BY": "BYN"}

COUNTRIES: Final = _signs(
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
