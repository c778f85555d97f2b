"""Text comes in; every date in it goes out with all days that it may mean, and the time beside it."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final

from ledger_tasks.extraction.hints import DateOrder

EARLIEST: Final = date(1990, 1, 1)
"""No receipt that anybody books is older; what looks older is a number glued to a date."""

CLOCK_SKEW: Final = timedelta(days=1)
"""A till east of us may already be in tomorrow."""

_MONTHS: Final = {
    word: number
    for number, words in enumerate(
        (
            "january januar janvier enero января январь jan janv ene янв",
            "february februar fevrier febrero февраля февраль feb fev fevr февр фев",
            "march marz maerz mars marzo марта март mar mrz мар",
            "april avril abril апреля апрель apr avr abr апр",
            "may mai mayo мая май",
            "june juni juin junio июня июнь jun июн",
            "july juli juillet julio июля июль jul juil июл",
            "august aout agosto августа август aug ago авг",
            "september septembre septiembre setiembre сентября сентябрь sep sept set сент сен",
            "october oktober octobre octubre октября октябрь oct okt окт",
            "november novembre noviembre ноября ноябрь nov ноя нояб",
            "december dezember decembre diciembre декабря декабрь dec dez dic дек",
        ),
        start=1,
    )
    for word in words.split()
}
_ZERO: Final = re.compile(r"0(?=[^\W\d_]{2})|(?<=[^\W\d_])0(?=[^\W\d_])")
"""A zero that recognition put for the O of a month."""

_YEAR: Final = (
    r"(?P<year>(?:19|20)\d{2}(?=(?:[01]?\d|2[0-3]):[0-5]\d)|(?:19|20)\d{2}(?!\d)"
    r"|'?\d{2}(?=(?:[01]?\d|2[0-3]):[0-5]\d)|\d{4}(?!\d)|'?\d{2}(?![\d:]))"
)
"""A year; a time of day may be glued to it. Of `2018:12` four digits are the year, of `2314:12` two."""

_MONTH: Final = "(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + ")"
_NUMERIC: Final = re.compile(
    r"(?<![\doli])(?<!\d[.,])(?P<a>\d{1,4})(?P<s>[ ]?[-/.–][ ]?)(?P<b>\d{1,2})(?P=s)(?P<c>\d{1,4})"
)
_DAMAGED: Final = re.compile(
    r"(?<![\doli])(?<!\d[.,])(?P<a>\d{1,4})(?P<s>[-/.~–:_])(?P<b>\d{1,2})(?P<t>[-/.~–:_])(?P<c>\d{2,4})"
)
"""Two separators of which recognition changed one."""

_SPACED: Final = re.compile(r"(?<![\d.,])(?P<a>\d{2})(?P<s> )(?P<b>\d{2}) (?P<c>20\d{2})(?!\d)")
_GLUED: Final = re.compile(r"(?P<a>\d{2})(?P<s>[-/.])(?P<b>\d{2})(?P=s)(?P<c>(?:19|20)\d{2}|\d{2}(?!\d))")
"""A date right after other digits."""

_DUST: Final = r"[\s/.,'‘’:-]"
"""What stands between a day, a named month and a year, specks that are read as signs included."""

_NAMED_DAY_FIRST: Final = re.compile(
    rf"(?<!\d)(?P<day>\d{{1,2}})(?:st|nd|rd|th|er)?(?P<damage>[^\w\s/.,'-]?){_DUST}*(?:de\s+)?{_MONTH}\.?"
    rf"(?![^\W\d]){_DUST}*(?:de\s+)?{_YEAR}"
)
_NAMED_MONTH_FIRST: Final = re.compile(
    rf"(?<![^\W\d]){_MONTH}\.?[\s/.,'-]*(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?P<damage>[^\w\s/.,'-]?)"
    rf"[\s/.,'-]+{_YEAR}"
)
_COMPACT: Final = re.compile(r"(?<![\d.,])(?:(?P<ymd>20\d{6})|(?P<dmy>[0-3]\d[01]\d20\d{2}))(?!\d)")


_CONFUSED: Final = re.compile(r"(?<![A-Za-z])[\dOolI]{1,4}([-/.])[\dOolI]{1,2}\1[\dOolI]{2,4}(?![A-Za-z])")
"""A date in which a letter stands for the digit that it looks like."""

_DIGITS: Final = str.maketrans("OolI", "0011")


@dataclass(frozen=True, slots=True)
class DateFound:
    """A date as it stands in a text. `days` holds each (order, day) that its digits may mean; empty: damaged."""

    days: tuple[tuple[DateOrder, date], ...]
    raw: str
    start: int
    end: int
    named: bool = False
    repaired: bool = False

    @property
    def is_certain(self) -> bool:
        """Say whether only one day is possible."""
        return len({day for _, day in self.days}) == 1


def dates(text: str, today: date) -> list[DateFound]:
    """Return the dates of a text in order; days before 1990 or after tomorrow are no candidates."""
    found = _dates(text, today)
    if found or not _CONFUSED.search(text):
        return found
    repaired = _CONFUSED.sub(lambda match: match[0].translate(_DIGITS), text)
    return [replace(each, repaired=True) for each in _dates(repaired, today)]


def _dates(text: str, today: date) -> list[DateFound]:
    taken: list[tuple[int, int]] = []
    found = []
    for candidate in _candidates(_folded(text), text):
        if any(candidate.start < end and start < candidate.end for start, end in taken):
            continue
        days = tuple((order, day) for order, day in candidate.days if EARLIEST <= day <= today + CLOCK_SKEW)
        if days:
            taken.append((candidate.start, candidate.end))
            found.append(replace(candidate, days=days))
    return sorted(found, key=lambda each: each.start)


def is_damaged_or_far(text: str, today: date) -> bool:
    """Say whether a text holds a date with a damaged day, or one that no receipt can have."""
    folded = _folded(text)
    if any(match["damage"] for pattern in (_NAMED_DAY_FIRST, _NAMED_MONTH_FIRST) for match in pattern.finditer(folded)):
        return True
    return any(True for _ in _candidates(folded, text)) and not dates(text, today)


def _folded(text: str) -> str:
    """Return the text without case and without accents on Latin letters, of the same length."""
    plain = [unicodedata.normalize("NFKD", letter)[0] for letter in text]
    folded = "".join(base if base.isascii() else letter for base, letter in zip(plain, text, strict=True)).lower()
    return _ZERO.sub("o", folded) if len(folded) == len(text) else text


def _candidates(folded: str, text: str) -> Iterator[DateFound]:
    for pattern in (_NAMED_DAY_FIRST, _NAMED_MONTH_FIRST):
        for match in pattern.finditer(folded):
            if not match["damage"]:
                day = _day(_year(match["year"].lstrip("'")), _MONTHS[match["month"]], int(match["day"]))
                if day:
                    yield DateFound(
                        (("DMY", day),), text[match.start() : match.end()], match.start(), match.end(), True
                    )
    for pattern in (_NUMERIC, _DAMAGED, _SPACED, _GLUED):
        for match in pattern.finditer(folded):
            yield from _numeric(match, text)
    for match in _COMPACT.finditer(folded):
        digits = match[0]
        day = (
            _day(int(digits[:4]), int(digits[4:6]), int(digits[6:]))
            if match["ymd"]
            else _day(int(digits[4:]), int(digits[2:4]), int(digits[:2]))
        )
        if day:
            yield DateFound((("YMD" if match["ymd"] else "DMY", day),), match[0], match.start(), match.end())


def _numeric(match: re.Match[str], text: str) -> Iterator[DateFound]:
    """Read three numbers. A time may be glued to either end: only as many digits belong to the year as make one."""
    a, b, c = match["a"], match["b"], match["c"]
    if ":" in match[0] and not set(match[0]) & set("-/.–"):
        return
    start, end = match.start(), match.end()
    if len(a) == 4:
        glued = max(0, len(c) - 2)
        day = _day(int(a), int(b), int(c[:2]))
        if day:
            yield DateFound((("YMD", day),), text[start : end - glued], start, end - glued)
            return
    if len(a) > 2:
        start, a = start + len(a) - 2, a[-2:]
    if len(c) in {3, 4} and not c.startswith(("19", "20")):
        end, c = end - (len(c) - 2), c[:2]
    if len(c) == 3:
        end, c = end - 1, c[:2]
    if len(c) == 1:
        return
    year = _year(c)
    orders: list[tuple[DateOrder, date | None]] = [("DMY", _day(year, int(b), int(a)))]
    if "." not in match["s"]:
        orders.append(("MDY", _day(year, int(a), int(b))))
    days = tuple((order, day) for order, day in orders if day)
    if days:
        yield DateFound(days, text[start:end], start, end)


def _year(digits: str) -> int:
    return int(digits) if len(digits) == 4 else 2000 + int(digits) if int(digits) < 90 else 1900 + int(digits)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
