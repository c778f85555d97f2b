"""Old files of the cache volume: what may go is named here, and removed so that no worker loses what it needs.

Ages are by the volume's own clock: the time of a file written now, not this machine's.
"""

import os
import shutil
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from ledger_tasks.errors import Infrastructure
from ledger_tasks.files import attempts, batches, markers
from ledger_tasks.files.locks import LOCK_BUSY, source_lock
from ledger_tasks.files.shared import volume_trouble, write_whole

SWEPT: Final = ".swept"
"""Written at the begin of each sweep: tells the volume's time, and when the last one was."""

LOCKS: Final = ".locks"
ARTIFACTS: Final = ".artifacts"


def last_swept(cache: Path) -> float | None:
    """Return the volume's time of the last sweep in seconds, None when there was none. Raises Infrastructure."""
    with volume_trouble(), suppress(FileNotFoundError):
        return (cache / SWEPT).stat().st_mtime
    return None


def volume_time(cache: Path) -> float:
    """Return the time of a file that is written now, in seconds. Raises Infrastructure."""
    return _written(cache / f"{SWEPT}-time")


def begin_sweep(cache: Path) -> float:
    """Note that a sweep begins, and return the volume's time in seconds. Raises Infrastructure."""
    return _written(cache / SWEPT)


def old_sources(cache: Path, before: float) -> Iterator[str]:
    """Yield each source hash that has a lock, a marker or a budget older than `before`."""
    found: set[str] = set()
    with volume_trouble():
        for path in _old(cache / LOCKS, "*.lock", before):
            found.add(path.stem)
        for folder in (attempts.FOLDER, markers.FOLDER):
            found.update(path.parent.name for path in _old(cache / folder, "*/*", before))
    yield from sorted(found)


def remove_source(cache: Path, sha256: str, before: float) -> int:
    """Remove old markers, budgets and at last the lock of one source, under that lock; return how many files.

    A source that a worker holds is left for the next sweep.
    """
    try:
        with source_lock(cache, sha256, seconds=0) as lock, volume_trouble():
            removed = 0
            for folder in (attempts.FOLDER, markers.FOLDER):
                removed += _remove(_old(cache / folder / sha256, "*", before))
                with suppress(OSError):
                    (cache / folder / sha256).rmdir()
            if lock.path.stat().st_mtime < before:
                removed += _remove(iter([lock.path]))
            return removed
    except Infrastructure as busy:
        if busy.code == LOCK_BUSY:
            return 0
        raise


def remove_batches(cache: Path, before: float) -> int:
    """Remove the folders of batches in which nothing happened since; return how many."""
    removed = 0
    with volume_trouble():
        for folder in (cache / batches.FOLDER).glob("*"):
            if all(path.stat().st_mtime < before for path in (folder, *folder.iterdir())):
                shutil.rmtree(folder)
                removed += 1
    return removed


def remove_artifacts(
    cache: Path, before: float, named: Callable[[Collection[str]], Collection[str]], page: int = 1000
) -> int:
    """Remove old artifacts that are no cache any more and that no row names; return how many.

    `named` tells which of some hashes the database names.
    """
    removed = 0
    with volume_trouble():
        old = [path for path in _old(cache / ARTIFACTS, "*.json", before) if path.stat().st_nlink == 1]
        for start in range(0, len(old), page):
            part = {path.stem: path for path in old[start : start + page]}
            kept = named(part)
            removed += _remove(path for digest, path in part.items() if digest not in kept)
    return removed


def _written(path: Path) -> float:
    write_whole(path, b"")
    with volume_trouble():
        return path.stat().st_mtime


def _old(folder: Path, pattern: str, before: float) -> Iterator[Path]:
    for path in folder.glob(pattern):
        with suppress(FileNotFoundError):
            if path.stat().st_mtime < before:
                yield path


def _remove(paths: Iterator[Path]) -> int:
    removed = 0
    for path in paths:
        with suppress(FileNotFoundError):
            os.unlink(path)  # noqa: PTH108 (the lock among them is still held by its descriptor)
            removed += 1
    return removed
