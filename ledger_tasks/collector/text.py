"""PURE. Events come in, events that PostgreSQL can store come out."""

import re
from typing import Final

from contracts.receipts.results import ResultEvent

_NUL: Final = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")
"""An escaped NUL in JSON, not a backslash that is followed by the letters u0000."""


def printable(event: ResultEvent) -> ResultEvent:
    """Replace every NUL, which `text` and `jsonb` refuse, by U+FFFD; lone surrogates never pass the contract."""
    written = event.model_dump_json(by_alias=True)
    if r"\u0000" not in written:
        return event
    return type(event).model_validate_json(_NUL.sub(r"\1\\ufffd", written))
