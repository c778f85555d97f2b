"""The words of a trial balance in Russian and English: a header's text comes in, what its column holds goes out."""

import re
from typing import Final, NamedTuple

PARTS: Final = ("opening", "turnover", "closing")
SIDES: Final = ("debit", "credit")

# Opening and closing come before turnover: "сальдо на начало периода" names the period as well.
_PART_WORDS: Final = {
    "opening": re.compile(r"на\s+начало|начальн|входящ|\bopening\b|\bbeginning\b|\binitial\b|\bbrought\b"),
    "closing": re.compile(r"на\s+конец|конечн|исходящ|\bclosing\b|\bending\b|\bfinal\b|\bcarried\b"),
    "turnover": re.compile(r"оборот|за\s+период|движени|\bturnovers?\b|\bmovements?\b|\bactivity\b|\bperiod\b"),
}
_SIDE_WORDS: Final = {
    "debit": re.compile(r"\bдебет|\bдт\b|\bdebits?\b|\bdr\b"),
    "credit": re.compile(r"\bкредит|\bкт\b|\bcredits?\b|\bcr\b"),
}
_ACCOUNT: Final = re.compile(r"\bсч[её]т|\bкод\b|\baccount\b|\bacct\b|\bcode\b|\bno\.?$")
_NAME: Final = re.compile(r"наименован|назван|\bname\b|\bdescription\b")
_TOTAL: Final = re.compile(r"^\s*(итого|всего|(grand\s+|sub\s*)?totals?\b)", re.IGNORECASE)


class AmountColumn(NamedTuple):
    """Part and side of a column of amounts."""

    part: str
    side: str


def column_of(label: str) -> AmountColumn | str | None:
    """Return what a column holds by the words above it: an amount, "account", "name", or nothing that we know."""
    text = " ".join(label.lower().split())
    part = next((part for part, words in _PART_WORDS.items() if words.search(text)), None)
    side = next((side for side, words in _SIDE_WORDS.items() if words.search(text)), None)
    if part and side:
        return AmountColumn(part, side)
    if part or side:
        return None
    if _NAME.search(text) and not text.startswith(("счет", "счёт", "account code", "code")):
        return "name"
    return "account" if _ACCOUNT.search(text) else None


def is_total(text: str) -> bool:
    """Say whether a row so named sums up the rows above it."""
    return bool(_TOTAL.match(text))
