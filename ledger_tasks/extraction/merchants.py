"""The head of a receipt comes in as rows; who sold and where, each with its rows, goes out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from ledger_tasks.extraction.lines import Row
from ledger_tasks.extraction.spelling import spelled
from ledger_tasks.extraction.words import (
    BUSINESS,
    DAMAGED_FORMS,
    LEGAL_FORM,
    NOT_ADDRESS,
    NOT_NAME,
    REGION,
    REGISTRATION,
    STREET,
)

HEAD_ROWS: Final = 22
"""Rows from the top in which a shop introduces itself."""

_PRICE_AT_END: Final = re.compile(r"\d[.,]\d{2}\s*[A-Z]{0,2}$")
_INTERNET: Final = re.compile(r"@|www\.|https?:|\.com\b|\.de\b|\.fr\b|\.es\b|\.ru\b")
_BRACKETED: Final = re.compile(r"^\(.*\)$")
_NUMBER_BEFORE: Final = re.compile(r"^(?:#\W*\d+|\d{4,})\W+(?=[^\W\d_]{2})")
"""The number of a branch or a till before the name."""

_BARE: Final = re.compile(r"^(?:[A-Z]{2}|[Nn][°º] ?)?[\d\s()+./-]{7,}$")
"""A phone or tax number without a word."""

_DATE: Final = re.compile(r"\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}")


@dataclass(frozen=True, slots=True)
class Head:
    """The name with its rows and a score, and the rows of the address."""

    name: str | None
    name_rows: tuple[Row, ...]
    score: float
    address: str | None
    address_rows: tuple[Row, ...]


def head(rows: Sequence[Row], *, accents: bool = True) -> Head:
    """Read who sold and where. Without `accents`, accented letters are dust on plain ones."""
    top = _top(rows)
    if not top:
        return Head(None, (), 0.0, None, ())
    scores = _scores(top, median(row.box[3] - row.box[1] for row in rows))
    best = max(range(len(top)), key=lambda index: scores[index])
    first, last = _joined(top, best)
    name_rows = tuple(top[first : last + 1])
    address_rows = _address(top[last + 1 :]) or _address(top[:first])
    name = legal(REGISTRATION.sub("", _plain(name_rows, accents=accents)).strip(" ,;:*-'\""))
    return Head(name or None, name_rows, scores[best], _plain(address_rows, accents=accents) or None, address_rows)


def legal(name: str) -> str:
    """Return a name with its legal form as it is written, where recognition changed a letter or added some."""
    name = _NUMBER_BEFORE.sub("", name)
    for damaged, right in DAMAGED_FORMS:
        name = damaged.sub(right, name)
    return name


def _plain(rows: Sequence[Row], *, accents: bool) -> str:
    return " ".join(spelled(row.text, row.confidence, accents=accents) for row in rows)


def _top(rows: Sequence[Row]) -> list[Row]:
    """Return the rows before the first one with a price."""
    top: list[Row] = []
    for row in rows[:HEAD_ROWS]:
        if len(top) >= 3 and _PRICE_AT_END.search(row.text):
            break
        top.append(row)
    return top


def _scores(top: Sequence[Row], usual: float) -> list[float]:
    """Return how much each row looks like the name; what follows an address or a tax number rather is not it."""
    scores = []
    is_past = False
    for index, row in enumerate(top):
        score = _score(row, usual) - 0.35 * index - (1.5 if is_past else 0.0)
        if index + 1 < len(top) and _is_registration(top[index + 1].text):
            score += 1.5
        scores.append(score)
        is_past = is_past or bool(STREET.search(row.text) or NOT_ADDRESS.search(row.text))
    return scores


def _score(row: Row, usual: float) -> float:
    text = REGISTRATION.sub("", row.text)
    letters = sum(letter.isalpha() for letter in text)
    if letters < 3 or letters < 0.5 * len(text.replace(" ", "")):
        return -5.0
    score = 3.0
    score += 3.0 if LEGAL_FORM.search(text) else 0.0
    score += 1.0 if BUSINESS.search(text) else 0.0
    score += 1.0 if text != row.text else 0.0
    score -= 4.0 if NOT_NAME.search(text) or _INTERNET.search(text) else 0.0
    score -= 2.0 if STREET.search(text) else 0.0
    score -= 1.5 if row.confidence < 0.8 else 0.0
    score -= 1.0 if text == text.lower() else 0.0
    score -= 1.5 if BUSINESS.search(text) and _own_letters(text) < 3 else 0.0
    return score + min(1.5, max(-0.5, (row.box[3] - row.box[1]) / max(usual, 1) - 1.0))


def _is_registration(text: str) -> bool:
    return bool(REGISTRATION.search(text)) and len(REGISTRATION.sub("", text).strip()) < 3


def _joined(top: Sequence[Row], best: int) -> tuple[int, int]:
    """Return the first and last row of a name that was broken into lines."""
    first = last = best
    text = top[best].text
    is_rest = (
        (best > 0 and top[best - 1].text.rstrip().endswith("&"))
        or _is_legal_rest(text)
        or text.count(")") > text.count("(")
    )
    if best > 0 and is_rest and not NOT_NAME.search(top[best - 1].text):
        first = best - 1
    if best + 1 < len(top):
        following = top[best + 1].text
        is_open = text.count("(") > text.count(")") or text.rstrip().endswith(("&", "-", ","))
        if is_open or (_is_legal_rest(following) and not LEGAL_FORM.search(text)):
            last = best + 1
    whole = " ".join(row.text for row in top[first : last + 1])
    if first > 0 and _is_legal_rest(whole) and not NOT_NAME.search(top[first - 1].text):
        first -= 1
    return first, last


def _is_legal_rest(text: str) -> bool:
    """Say whether a row is a legal form, a line of business and little else: the end of the name in the row above."""
    return LEGAL_FORM.search(text) is not None and _own_letters(text) < 3


def _own_letters(text: str) -> int:
    """Count the letters that are neither a legal form, nor a line of business, nor a place in brackets."""
    rest = BUSINESS.sub("", LEGAL_FORM.sub("", re.sub(r"\(.*?\)", "", text)))
    return sum(letter.isalpha() for letter in rest)


def _address(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return the rows from the first that names a street or place to the last that still belongs to it."""
    found: list[Row] = []
    for row in rows:
        text = row.text
        is_other = bool(
            NOT_ADDRESS.search(text)
            or any(each.search(text) for each in (_INTERNET, _BRACKETED, _DATE, _BARE, _PRICE_AT_END))
        )
        if is_other and not found:
            continue
        if is_other or (found and not _continues(found[-1].text, text)):
            break
        if found or STREET.search(text) or ("," in text and re.search(r"\d", text)):
            found.append(row)
    return tuple(found)


def _continues(before: str, text: str) -> bool:
    """Say whether an address goes on: after its postcode only with a region, or where a comma promises more."""
    if REGION.search(text) or STREET.search(text) or before.rstrip().endswith(","):
        return True
    return not re.search(r"(?<!\d)\d{5}(?!\d)", before) and not REGION.search(before)
