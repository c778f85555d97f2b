"""What deliveries of this worker wait for: an infrastructure code goes in from any of its processes, and comes out."""

import multiprocessing
from typing import Final

LONGEST: Final = 64
"""Characters of a code; the longest of ours has 18."""

_code: Final = multiprocessing.get_context("fork").RawArray("c", LONGEST)
"""Shared with forked children, and without a lock: a child that is killed may never leave one behind."""


def waits_for(code: str) -> None:
    """Say what a delivery cannot go on without; it stays said until one went through, also after a hand-back."""
    _code.value = code.encode("ascii", "replace")[: LONGEST - 1]


def went_through() -> None:
    """Say that a delivery met no trouble of infrastructure."""
    if _code.value:
        _code.value = b""


def waited_for() -> str:
    """Return the code that was said last, empty when nothing is waited for."""
    return bytes(_code.value).decode("ascii", "replace")
