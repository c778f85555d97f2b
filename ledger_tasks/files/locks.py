"""One lock per source hash on the shared volume; it also holds the last generation given, the order of runs."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from filelock import lock_descriptor

from ledger_tasks.errors import Infrastructure
from ledger_tasks.files.shared import make_folder, volume_trouble

POLL_SECONDS: Final = 0.05
"""Pause between two tries: short beside an OCR run, long beside a system call."""

LOCK_BUSY: Final = "LOCK_BUSY"
"""Infrastructure code: another worker has held the source for longer than the deadline."""


@dataclass(frozen=True, slots=True)
class SourceLock:
    """A held lock. The file below it stays the one that `path` names for as long as it is held."""

    path: Path
    descriptor: int

    def next_generation(self) -> int:
        """Give and remember a number greater than any given before for this source: max(previous + 1, now in us)."""
        with volume_trouble():
            written = os.pread(self.descriptor, 32, 0).decode("ascii", "replace").strip()
            previous = int(written) if written.isdigit() else 0
            generation = max(previous + 1, time.time_ns() // 1000)
            os.pwrite(self.descriptor, f"{generation:<20}\n".encode(), 0)
            os.fsync(self.descriptor)
        return generation


@contextmanager
def source_lock(cache: Path, sha256: str, *, seconds: float) -> Iterator[SourceLock]:
    """Hold the lock of one source. Raises Infrastructure LOCK_BUSY after `seconds`."""
    path = lock_path(cache, sha256)
    deadline = time.monotonic() + seconds
    with volume_trouble():
        make_folder(path.parent)
        while (descriptor := _try(path)) is None:
            if time.monotonic() >= deadline:
                raise Infrastructure(LOCK_BUSY, "another worker holds this source")
            time.sleep(POLL_SECONDS)
    try:
        yield SourceLock(path, descriptor)
    finally:
        os.close(descriptor)


def is_locked(cache: Path, sha256: str) -> bool:
    """Say whether a worker holds the source now; looking holds it for an instant. Raises Infrastructure."""
    path = lock_path(cache, sha256)
    with volume_trouble():
        if not path.exists():
            return False
        descriptor = _try(path)
        if descriptor is None:
            return True
        os.close(descriptor)
    return False


def lock_path(cache: Path, sha256: str) -> Path:
    """Return where the lock of a source lies."""
    return cache / ".locks" / f"{sha256}.lock"


def _try(path: Path) -> int | None:
    """Lock the file that the path names now; closing the descriptor releases it, also when the process dies."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    held = False
    try:
        held = lock_descriptor(descriptor, blocking=False) and _still_named(path, descriptor)
    finally:
        # Also when the volume fails: a lock whose descriptor nobody knows would last as long as this process.
        if not held:
            os.close(descriptor)
    return descriptor if held else None


def _still_named(path: Path, descriptor: int) -> bool:
    """Say whether the locked file is still the one on disk: housekeeping deletes old locks while holding them."""
    try:
        named = path.stat()
    except FileNotFoundError:
        return False
    held = os.fstat(descriptor)
    return (named.st_dev, named.st_ino) == (held.st_dev, held.st_ino)
