"""What stands above a trial balance: its lines come in; title, currency and period go out. PURE."""

import calendar
import re
from collections.abc import Sequence
from datetime import date
from typing import Final, NamedTuple

_TITLE: Final = re.compile(r"сальдов|trial\s+balance|\bОСВ\b", re.IGNORECASE)
_NUMERIC: Final = re.compile(r"\b(\d{2})[./](\d{2})[./](\d{4})\b|\b(\d{4})-(\d{2})-(\d{2})\b")
_QUARTER: Final = re.compile(r"\b([1-4])\s*(?:-?й\s*)?квартал\w*\s+(\d{4})|\bQ([1-4])\s+(\d{4})", re.IGNORECASE)
_YEAR: Final = re.compile(r"\bза\s+(\d{4})\s*г|\bfor\s+(?:the\s+year\s+)?(\d{4})\b", re.IGNORECASE)
_CURRENCIES: Final = {"руб": "RUB", "₽": "RUB", "$": "USD", "€": "EUR"}
_CODE: Final = re.compile(r"\b(RUB|BYN|KZT|USD|EUR|GBP|CNY)\b")

_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "январ january jan",
            "феврал february feb",
            "март march mar",
            "апрел april apr",
            "ма[йя] may",
            "июн june jun",
            "июл july jul",
            "август august aug",
            "сентябр september sep",
            "октябр october oct",
            "ноябр november nov",
            "декабр december dec",
        ),
        start=1,
    )
    for name in names.split()
}
_MONTH: Final = re.compile(
    rf"\b(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\w*\.?,?\s+(?P<year>\d{{4}})",
    re.IGNORECASE,
)


class Heading(NamedTuple):
    """What is said about the whole table; None where nothing is."""

    title: str | None
    currency: str | None
    first_day: date | None
    last_day: date | None


def read_heading(above: Sequence[str]) -> Heading:
    """Read the lines above a table."""
    text = "\n".join(above)
    title = next((line for line in above if _TITLE.search(line)), None)
    first, last = _period(text)
    return Heading(title, _currency(text), first, last)


def _currency(text: str) -> str | None:
    code = _CODE.search(text)
    if code:
        return code[1]
    return next((currency for sign, currency in _CURRENCIES.items() if sign in text.lower()), None)


def _period(text: str) -> tuple[date | None, date | None]:
    days = [day for match in _NUMERIC.finditer(text) if (day := _numeric_day(match)) is not None]
    if len(days) >= 2:
        return min(days[:2]), max(days[:2])
    quarter = _QUARTER.search(text)
    if quarter:
        number, year = int(quarter[1] or quarter[3]), int(quarter[2] or quarter[4])
        return _months(year, 3 * number - 2, year, 3 * number)
    months = [(int(match["year"]), _month_number(match["month"])) for match in _MONTH.finditer(text)]
    if months:
        return _months(*min(months), *max(months))
    whole = _YEAR.search(text)
    if whole:
        year = int(whole[1] or whole[2])
        return _months(year, 1, year, 12)
    return (None, days[0]) if days else (None, None)


def _numeric_day(match: re.Match[str]) -> date | None:
    day, month, year, iso_year, iso_month, iso_day = match.groups()
    try:
        return date(int(iso_year), int(iso_month), int(iso_day)) if iso_year else date(int(year), int(month), int(day))
    except ValueError:
        return None


def _month_number(word: str) -> int:
    return next(number for pattern, number in _MONTHS.items() if re.fullmatch(pattern, word, re.IGNORECASE))


def _months(first_year: int, first: int, last_year: int, last: int) -> tuple[date | None, date | None]:
    if not all(date.min.year <= year <= date.max.year for year in (first_year, last_year)):
        return None, None
    return date(first_year, first, 1), date(last_year, last, calendar.monthrange(last_year, last)[1])
