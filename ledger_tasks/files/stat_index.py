"""What tells an unchanged file from a changed one without reading it: a stat comes in, five numbers go out."""

import os
from pathlib import Path
from typing import NamedTuple

from ledger_tasks.files.shared import ABSENT, volume_trouble


class Fingerprint(NamedTuple):
    """Device, inode, size in bytes, and the times of content and inode in nanoseconds: equal means unchanged.

    The inode's time cannot be set back by a program that preserves the other one.
    """

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int


def fingerprint(found: os.stat_result) -> Fingerprint:
    """Return the fingerprint of a stat."""
    return Fingerprint(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def look(path: str) -> Fingerprint | None:
    """Return the fingerprint of what a path names now, None when nothing is there or it cannot be looked at."""
    try:
        return fingerprint(os.stat(path))  # noqa: PTH116 (100,000 times per scan: no Path object for each)
    except OSError:
        return None


def look_surely(path: Path) -> Fingerprint | None:
    """Return the fingerprint of a file of the cache volume, None when there is none.

    Raises Infrastructure when it cannot be looked at: a cache that fails is not missing, or each would be made anew.
    """
    with volume_trouble():
        try:
            return fingerprint(path.stat())
        except OSError as error:
            if error.errno in ABSENT:
                return None
            raise
