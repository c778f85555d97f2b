"""A quick look at a folder: enough to say that nothing in it needs work, without laying every file beside its row.

The proof is a sum. What is finished is known with the stat of each receipt and of its cache; times of inodes only grow,
so a set of files whose sums equal those of the finished ones holds no file that came, went or changed.
"""

import os
from dataclasses import dataclass, field
from operator import add
from pathlib import Path

from ledger_tasks.discovery.walk import Folder, Found, Invalid, Unsupported, list_folder
from ledger_tasks.files.stat_index import fingerprint

Sums = tuple[int, ...]
"""Number of files, then the sums of the five numbers of their stats, then those of their caches' stats."""

_NOTHING: Sums = (0,) * 11


@dataclass(slots=True)
class Glance:
    """What one listing of a folder showed. `sums` is None when a receipt has no cache file at its own path."""

    folder: Folder
    sums: Sums | None = _NOTHING
    folders: list[Folder] = field(default_factory=list)
    invalid: list[Invalid] = field(default_factory=list)
    unsupported: int = 0


def glance(root: Path, cache: Path, folder: Folder) -> Glance:
    """List one folder and stat its receipts and their caches. Raises Infrastructure when the root cannot be listed."""
    seen = Glance(folder)
    try:
        caches = os.open(cache / folder.reference, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        caches, seen.sums = None, None
    try:
        for sight in list_folder(root, folder):
            match sight:
                case Found():
                    seen.sums = _added(seen.sums, sight, caches)
                case Folder():
                    seen.folders.append(sight)
                case Invalid():
                    seen.invalid.append(sight)
                case Unsupported():
                    seen.unsupported += 1
    finally:
        if caches is not None:
            os.close(caches)
    return seen


def _added(sums: Sums | None, found: Found, caches: int | None) -> Sums | None:
    if sums is None:
        return None
    name = found.reference.rpartition("/")[2]
    try:
        cached = os.stat(f"{name}.json", dir_fd=caches)  # relative to an open folder: half the time
    except OSError:
        return None
    return tuple(map(add, sums, (1, *found.fingerprint, *fingerprint(cached))))
