"""Lines of two engines over one page come in: the letters of the one with the digits of the other go out."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ledger_tasks.extraction.lines import Line

_NUMBER: Final = re.compile(r"\d(?:[\d.,:/ -]*\d)?")
_PARTED: Final = re.compile(r"\d[.,:/-]\d")
"""A price, a date, a time: a number that loses its meaning with one sign."""

REACH: Final = 0.5
"""Heights by which a line may begin before or end after the one that it mends."""


def mended(lines: Sequence[Line], digits: Sequence[Line]) -> list[Line]:
    """Return `lines` with the numbers of `digits`, where both saw as many, and with the prices that they lack."""
    better = [_mended(line, _within(line, digits)) for line in lines]
    known = [line for line in better if _PARTED.search(line.text)]
    lacking = [each for each in digits if _PARTED.search(each.text) and not any(_meet(each, line) for line in known)]
    return [*better, *lacking]


def _mended(line: Line, better: Sequence[Line]) -> Line:
    found = _NUMBER.findall(" ".join(each.text for each in better))
    if not found or len(_NUMBER.findall(line.text)) != len(found):
        return line
    numbers = iter(found)
    text = _NUMBER.sub(lambda match: number if _PARTED.search(number := next(numbers)) else match[0], line.text)
    is_number = not any(letter.isalpha() for letter in line.text)
    return replace(
        line, text=text, confidence=min(each.confidence for each in better) if is_number else line.confidence
    )


def _meet(one: Line, other: Line) -> bool:
    across = min(one.box[2], other.box[2]) - max(one.box[0], other.box[0])
    down = min(one.box[3], other.box[3]) - max(one.box[1], other.box[1])
    return across > 0 and down > REACH * min(one.height, other.height)


def _within(line: Line, others: Sequence[Line]) -> list[Line]:
    left, top, right, bottom = line.box
    room = REACH * line.height
    return sorted(
        (
            each
            for each in others
            if top < each.middle < bottom and left - room <= each.box[0] and each.box[2] <= right + room
        ),
        key=lambda each: each.box[0],
    )
