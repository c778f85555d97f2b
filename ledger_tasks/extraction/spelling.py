"""PURE. A name or an address comes in as it was recognized; what recognition often exchanges goes out mended.

Only what is known without the shop: a digit in a word, a letter in a number, and a word that everybody writes alike
(a trade, a street, a region) with one letter misread. The field keeps what was printed under `raw`.
"""

import re
import unicodedata
from typing import Final

SURE: Final = 0.985
"""Confidence from which a line is left as it was read: a shop may spell a word as it likes."""

_SMALL_L: Final = re.compile(r"(?<=\b[A-Z])I(?=[a-z])")
"""`BIk`, `JIn`: no word begins with two capitals of which the second is an I; it is a small L."""

_ZERO: Final = re.compile(r"(?<!\w)0(?=[^\W\d_]{2})")
"""A zero that recognition put for the O at the beginning of a word."""

_FIVE: Final = re.compile(r"(?<!\w)5(?=[KLMNPTWklmnptw][^\W\d_]{3})")
"""A five that recognition put for the S of `SP`, `ST`, ... at the beginning of a word."""

_LETTER_O: Final = re.compile(r"(?<=\d)[Oo](?=\d|\W|$)")
"""The letter O within a number or at its end."""

_JALAN: Final = re.compile(r"\bJ[iI1]n\b(?=[. ]*[A-Z])")
"""The Malay abbreviation of a street, as recognition spells it."""

_OOO: Final = re.compile(r"^[0OО]{3} ?(?=[«\"'А-Яа-я])")
"""The Russian legal form, read as zeros or as Latin letters."""

_WORD: Final = re.compile(r"[^\W\d_]{5,}")

_ALIKE: Final = ("hmnwku", "krb", "sg", "cgoqd", "ef", "ij", "uv")
"""Letters, small or capital, that dirt or a thin print turns into one another."""

_UNLIKE_ANY: Final = 8
"""Letters from which a word with one wrong letter is no other word, whatever the letter looks like."""

_WRITTEN: Final = (
    "restaurant restaurants restoran hardware pharmacy enterprise enterprises stationery supermarket marketing trading "
    "electrical bakery company industries services holdings international distributors convenience kedai perniagaan "
    "syarikat apotheke bäckerei supermarkt gasthaus boulangerie pharmacie librairie farmacia supermercado panadería "
    "магазин ресторан супермаркет "
    "jalan lorong taman bandar kampung persiaran lebuhraya seksyen section kawasan perindustrian kompleks menara wisma "
    "plaza street avenue boulevard straße strasse calle avenida улица проспект "
    "selangor johor bahru kuala lumpur penang pulau pinang perak melaka sabah sarawak pahang kedah kelantan terengganu "
    "perlis negeri sembilan wilayah persekutuan darul ehsan takzim khusus putrajaya malaysia singapore petaling cheras "
    "klang subang puchong kepong setapak ampang"
)
"""Words on receipts of many shops: trades, streets, and the regions and larger towns of countries that we know."""

_COMMON: Final = frozenset(_WRITTEN.split())


def spelled(text: str, confidence: float, *, accents: bool) -> str:
    """Return a part of a name or an address as it is written, read with that confidence (0 to 1).

    Without `accents`, accented letters are dust on plain ones.
    """
    text = " ".join(text.replace("_", " ").split())
    text = _ZERO.sub("O", _JALAN.sub("Jln", _SMALL_L.sub("l", text)))
    text = _LETTER_O.sub("0", _FIVE.sub("S", text))
    text = _OOO.sub("ООО ", text) if accents else without_accents(text)
    return text if confidence >= SURE else _WORD.sub(lambda found: _common(found[0]), text)


def without_accents(text: str) -> str:
    """Return a text with plain letters alone."""
    return "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))


def _common(word: str) -> str:
    """Return the common word that differs in one letter, spelled in the case of the word; else the word."""
    plain = word.lower()
    if plain in _COMMON:
        return word
    near = [right for right in _COMMON if len(right) == len(word) and _is_misread(plain, right)]
    if len(near) != 1:
        return word
    if sum(letter.isupper() for letter in word) > len(word) / 2:
        return near[0].upper()
    return near[0].capitalize() if word[0].isupper() else near[0]


def _is_misread(word: str, right: str) -> bool:
    """Say whether exactly one letter differs, and looks alike where the word is short."""
    wrong = [pair for pair in zip(word, right, strict=True) if pair[0] != pair[1]]
    return len(wrong) == 1 and (len(word) >= _UNLIKE_ANY or any(set(wrong[0]) <= set(group) for group in _ALIKE))
