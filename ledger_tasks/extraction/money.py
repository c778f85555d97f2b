"""Text comes in; every amount of money in it goes out exact, or with the other value that it may have."""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

SPACES: Final = " \u00a0\u2007\u2009\u202f"
"""Space, no-break space, figure space, thin space, narrow no-break space: all group digits somewhere."""

_NUMBER: Final = re.compile(
    rf"""
    (?<!\d)(?<!\d[.,])
    (?:
        [1-9]\d{{0,2}}(?P<group>[.,'’`{SPACES}])\d{{3}}(?:(?P=group)\d{{3}})*(?:(?P<point>(?!(?P=group))[.,])\d{{1,2}})?
      | \d+(?P<decimal>[.,])\d{{1,4}}
      | \d+(?P<loose>[ ]{{1,2}}[.,]|[.,][ ])\d{{2}}
      | (?P<bare>[.,])\d{{2}}
      | \d+
    )
    (?!\d|[.,]\d)
    """,
    re.VERBOSE,
)
"""Grouped digits; decimals; decimals beside which recognition put a space (`9. 00`); decimals alone; an integer."""

_LETTER_AFTER: Final = re.compile(r"(?<=\d[.,])(?:[OoCDQ]{2}|\d[OoCDQ]|[OoCDQ]\d)(?!\w)")
_LETTER_BEFORE: Final = re.compile(r"(?<![\w.,])[OolI|]+(?=\d*[.,]\d{2}(?!\d))|(?<=\d)[Oo](?=\d*[.,]\d{2}(?!\d))")
_DIGITS: Final = str.maketrans("OoCDQlI|", "00000111")

_MINUS: Final = "-−–"


@dataclass(frozen=True, slots=True)
class Amount:
    """One amount as it stands in a text: where, its value, other values it may have, and how many decimals it shows."""

    value: Decimal
    raw: str
    start: int
    end: int
    decimals: int
    others: tuple[Decimal, ...] = ()

    @property
    def is_price(self) -> bool:
        """Say whether it is written as prices are, with two decimals."""
        return self.decimals == 2


def amounts(text: str) -> list[Amount]:
    """Return the numbers of a text in order, each as an amount."""
    return [found for match in _NUMBER.finditer(text) if (found := _amount(match))]


def repair(text: str) -> str:
    """Return the text with letters that stand in the place of a digit of a price replaced; length unchanged."""
    text = _LETTER_AFTER.sub(lambda match: match[0].translate(_DIGITS), text)
    return _LETTER_BEFORE.sub(lambda match: match[0].translate(_DIGITS), text)


def amount(text: str) -> Amount | None:
    """Return the amount when the text, apart from a currency, is exactly one."""
    found = amounts(text)
    return found[0] if len(found) == 1 else None


def plain(value: Decimal) -> str:
    """Return the decimal string of the contract, with at least two decimals."""
    return format(value.quantize(Decimal("0.01")) if value == value.quantize(Decimal("0.01")) else value, "f")


def _amount(match: re.Match[str]) -> Amount | None:
    value, decimals, others = _value(match)
    if value >= Decimal(10) ** 12:
        return None
    if _is_negative(match.string, match.start(), match.end()):
        value, others = -value, tuple(-other for other in others)
    return Amount(value, match[0], match.start(), match.end(), decimals, others)


def _value(match: re.Match[str]) -> tuple[Decimal, int, tuple[Decimal, ...]]:
    """Return the value, the number of decimals written, and the other values that the same digits may mean."""
    raw, group, point = match[0], match["group"], match["point"]
    if group:
        whole, _, fraction = raw.partition(point) if point else (raw, "", "")
        joined = Decimal(re.sub(r"\D", "", whole) + (f".{fraction}" if fraction else ""))
        if group in ".," and not point and raw.count(group) == 1:
            return joined, 0, (Decimal(raw.replace(group, ".")),)
        if group == " " and point == ".":
            # Where the point is decimal, a plain space rather separates a quantity from a price.
            return joined, len(fraction), (Decimal(raw.rpartition(" ")[2]),)
        return joined, len(fraction), ()
    point = match["decimal"] or match["loose"] or match["bare"]
    if not point:
        return Decimal(raw), 0, ()
    whole, _, fraction = raw.partition(point)
    return Decimal(f"{whole or 0}.{fraction}"), len(fraction), ()


def _is_negative(text: str, start: int, end: int) -> bool:
    before, after = text[:start].rstrip("$€£RMrm ¥"), text[end : end + 1]
    if before.endswith("(") and after == ")":
        return True
    trailing = after in _MINUS and after != "" and not text[end + 1 : end + 2].isalnum()
    leading = before[-1:] in _MINUS and before != "" and not before[-2:-1].isalnum()
    return trailing or leading
