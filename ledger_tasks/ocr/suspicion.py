"""Lines of a pass come in; what may be wrong with the page goes out: turned, upside down, another script."""

from collections.abc import Sequence
from typing import Final

from ledger_tasks.extraction.lines import Line

TALL: Final = 1.5
"""Height over width from which a line of some letters stands on its side."""

SIDEWAYS_SHARE: Final = 0.5
POOR: Final = 0.8
"""Mean confidence below which a page was hardly read: upside down, or worse."""

LETTERS_SHARE: Final = 0.35
"""Letters among all signs below which recognition dropped those that it does not know; a slip of digits has 0.42."""

HOLLOW: Final = 0.5
"""Letters and digits per square of a line's height, below which recognition dropped letters that it does not know."""

STRANGE_SHARE: Final = 0.08
STRANGE_LEAST: Final = 2
"""Lines with Greek or missing letters from which half of the page may be in another script."""

EAST_ASIAN: Final = "\u2e80"
"""The first letter of the scripts in which a line of stars is read."""

LINES_LEAST: Final = 5
CYRILLIC_SHARE: Final = 0.3


def is_sideways(lines: Sequence[Line]) -> bool:
    """Say whether most of the text stands on its side."""
    long = [line for line in lines if len(line.text) >= 4]
    tall = [line for line in long if line.height > TALL * (line.box[2] - line.box[0])]
    return bool(long) and len(tall) > SIDEWAYS_SHARE * len(long)


def is_poor(lines: Sequence[Line]) -> bool:
    """Say whether the page was hardly read."""
    letters = sum(len(line.text) for line in lines)
    return letters > 0 and sum(line.confidence * len(line.text) for line in lines) < POOR * letters


def is_other_script(lines: Sequence[Line]) -> bool:
    """Say whether letters are missing or look Greek: what the primary engine makes of Cyrillic."""
    signs = [sign for line in lines for sign in line.text if sign != " " and sign < EAST_ASIAN]
    few = len(lines) >= LINES_LEAST and sum(sign.isalpha() for sign in signs) < LETTERS_SHARE * len(signs)
    strange = sum(_is_greek(line) or _is_hollow(line) for line in lines)
    return few or strange >= max(STRANGE_LEAST, STRANGE_SHARE * len(lines))


def is_cyrillic(lines: Sequence[Line]) -> bool:
    """Say whether a good part of the letters is Cyrillic."""
    letters = [letter for line in lines for letter in line.text if letter.isalpha()]
    return sum("\u0400" <= letter <= "\u04ff" for letter in letters) > CYRILLIC_SHARE * max(len(letters), 1)


def _is_greek(line: Line) -> bool:
    return any("\u0370" <= letter <= "\u03ff" or letter in "∏∑" for letter in line.text)


def _is_hollow(line: Line) -> bool:
    """Say whether a line is wider than the letters found in it."""
    is_wide = line.width > 3 * line.height > 0
    return is_wide and sum(sign.isalnum() for sign in line.text) < HOLLOW * line.width / line.height
