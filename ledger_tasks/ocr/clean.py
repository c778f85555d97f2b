"""Lines as an engine or a file gives them come in; text that every store and screen takes goes out."""

import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from ledger_tasks.extraction.lines import Line

MAX_LINES: Final = 2000
"""Lines of one page; a receipt a metre long has about 300."""

MAX_LINE: Final = 1000
"""Characters of one line."""


def clean(lines: Iterable[Line]) -> list[Line]:
    """Drop NUL, surrogates, control and format characters, compose letters, bound lengths, drop what is then empty."""
    found = []
    for line in lines:
        text = "".join(" " if letter.isspace() else letter for letter in line.text if _is_shown(letter))
        text = unicodedata.normalize("NFC", text).strip()[:MAX_LINE]
        if text:
            found.append(replace(line, text=text, confidence=min(1.0, max(0.0, line.confidence))))
        if len(found) == MAX_LINES:
            break
    return found


def _is_shown(letter: str) -> bool:
    return letter.isspace() or unicodedata.category(letter) not in {"Cc", "Cf", "Cs", "Co", "Cn"}
