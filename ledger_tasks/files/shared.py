"""Writing on the cache volume: a path and bytes come in, a durable whole file or Infrastructure comes out."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from ledger_tasks.errors import Infrastructure

CACHE_UNAVAILABLE: Final = "CACHE_UNAVAILABLE"
"""Infrastructure code: the cache volume is full, read-only, stale or failing."""

ROOM: Final = 1024 * 1024
"""Bytes that must fit again before a held receipt is tried: a long one's cache, its marker and its budget."""


@contextmanager
def volume_trouble() -> Iterator[None]:
    """Turn any OSError of the cache volume into Infrastructure; the path stays out of the words."""
    try:
        yield
    except OSError as error:
        raise Infrastructure(CACHE_UNAVAILABLE, f"the cache volume failed: {error.strerror}") from error


def write_whole(path: Path, content: bytes) -> None:
    """Replace a file: unique temporary name beside it, fsync, rename, fsync of the folder. Raises Infrastructure."""
    with volume_trouble():
        make_folder(path.parent)
        temporary = path.parent / f".{secrets.token_hex(8)}.tmp"
        try:
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except OSError:
            with suppress(OSError):
                temporary.unlink()
            raise
        sync_folder(path.parent)


def probe_room(folder: Path) -> None:
    """Return when a receipt could be written here again. Raises Infrastructure."""
    probe = folder / f".{secrets.token_hex(8)}.tmp"
    write_whole(probe, bytes(ROOM))
    with volume_trouble():
        probe.unlink()


def read_whole(path: Path) -> bytes | None:
    """Return a file's bytes, None when there is no such file. Raises Infrastructure."""
    with volume_trouble():
        try:
            return path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None


def make_folder(folder: Path) -> None:
    """Make a folder and its parents; safe against others doing the same."""
    folder.mkdir(parents=True, exist_ok=True)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
