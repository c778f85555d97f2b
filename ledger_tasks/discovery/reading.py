"""Files whose content is unknown come in; what each holds goes out, once it has been still for long enough."""

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from ledger_tasks.errors import Infrastructure, Terminal
from ledger_tasks.files.source import SOURCE_UNREADABLE, content_hash, open_source
from ledger_tasks.files.stat_index import Fingerprint, fingerprint, look

MARGIN: Final = 1.25
"""Times the quiet time between two looks: a writer that appends once per quiet time must not slip through late."""


class Content(NamedTuple):
    """What a still file holds."""

    reference: str
    fingerprint: Fingerprint
    sha256: str


class Growing(NamedTuple):
    """A file that changed between two looks."""

    reference: str


class Gone(NamedTuple):
    """A file that vanished: nobody counts it."""

    reference: str


class Unreadable(NamedTuple):
    """A file that is there and cannot be read, and why."""

    reference: str
    reason: str


Verdict = Content | Growing | Gone | Unreadable


def read(root: Path, files: Sequence[tuple[str, Fingerprint]], *, first_look: float, quiet: float) -> list[Verdict]:
    """Hash each file, then look at it again at least `quiet` seconds after `first_look` (monotonic clock).

    Equal looks before and after mean that the hash is that of the whole file. Raises Infrastructure when the root
    itself is away.
    """
    read_once = [_read(root, reference, first) for reference, first in files]
    time.sleep(max(0.0, first_look + quiet * MARGIN - time.monotonic()))
    return [_look_again(root, verdict) for verdict in read_once]


def _read(root: Path, reference: str, first: Fingerprint) -> Verdict:
    try:
        with open_source(root, reference) as file:
            if fingerprint(os.fstat(file.fileno())) != first:
                return Growing(reference)
            return Content(reference, first, content_hash(file))
    except Terminal as broken:
        return Gone(reference) if broken.code == "SOURCE_MISSING" else Unreadable(reference, broken.detail)
    except Infrastructure as trouble:
        if trouble.code != SOURCE_UNREADABLE:
            raise
        return Unreadable(reference, trouble.detail)


def _look_again(root: Path, verdict: Verdict) -> Verdict:
    if not isinstance(verdict, Content):
        return verdict
    now = look(f"{root}/{verdict.reference}")
    if now is None:
        return Gone(verdict.reference)
    return verdict if now == verdict.fingerprint else Growing(verdict.reference)
