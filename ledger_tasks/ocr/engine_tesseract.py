"""Tesseract through pytesseract: Cyrillic, the second opinion, and the fallback where OpenVINO is missing."""

from itertools import groupby
from typing import Any, Final

import pytesseract
from PIL import Image

from ledger_tasks.extraction.lines import Line, around
from ledger_tasks.ocr.engine import Pixels

SECONDS_PER_PAGE: Final = 60
COLUMN_GAP: Final = 1.5
"""Heights of a word between two words that belong to different columns."""

KNOWN: Final = ("eng", "deu", "fra", "spa", "rus")


class Tesseract:
    """Installed languages of those wanted; never a path of a user's file, the picture goes through a file of ours."""

    name: str = "tesseract"
    psm: int | None = 6

    def __init__(self, languages: tuple[str, ...]) -> None:
        installed = set(pytesseract.get_languages())
        self.languages = "+".join(each for each in languages if each in installed) or "eng"
        self.version = f"{pytesseract.get_tesseract_version()} ({self.languages})"

    def read(self, pixels: Pixels, page: int) -> list[Line]:
        """Return the lines of a page. Raises RuntimeError on time-out or when Tesseract fails."""
        found: dict[str, list[Any]] = pytesseract.image_to_data(
            Image.fromarray(pixels),
            lang=self.languages,
            config=f"--psm {self.psm}",
            timeout=SECONDS_PER_PAGE,
            output_type=pytesseract.Output.DICT,
        )
        words = [_word(found, index, page) for index in range(len(found["text"])) if found["text"][index].strip()]
        keys = [
            (found["block_num"][index], found["par_num"][index], found["line_num"][index])
            for index in range(len(found["text"]))
            if found["text"][index].strip()
        ]
        pairs = list(zip(keys, words, strict=True))
        return [
            line
            for _, group in groupby(pairs, key=lambda pair: pair[0])
            for line in _columns([word for _, word in group])
        ]


def _word(found: dict[str, list[Any]], index: int, page: int) -> Line:
    left, top = found["left"][index], found["top"][index]
    box = (left, top, left + found["width"][index], top + found["height"][index])
    return Line(found["text"][index], max(0.0, float(found["conf"][index])) / 100, box, page)


def _columns(words: list[Line]) -> list[Line]:
    """Join the words of a line, cutting where a gap separates columns."""
    slope = _slope(words)
    parts: list[list[Line]] = [[words[0]]]
    for word in words[1:]:
        last = parts[-1][-1]
        if word.box[0] - last.box[2] > COLUMN_GAP * max(last.height, word.height):
            parts.append([word])
        else:
            parts[-1].append(word)
    return [
        Line(
            " ".join(word.text for word in part),
            sum(word.confidence for word in part) / len(part),
            around(part),
            part[0].page,
            slope,
        )
        for part in parts
    ]


def _slope(words: list[Line]) -> float:
    """Return how far a line sinks per pixel to the right, by the middles of its outer words."""
    first, last = words[0], words[-1]
    across = (last.box[0] + last.box[2] - first.box[0] - first.box[2]) / 2
    return (last.middle - first.middle) / across if across > first.height + last.height else 0.0
