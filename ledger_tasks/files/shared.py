"""Writing on the cache volume: a path and bytes come in, a durable whole file or Infrastructure comes out."""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from ledger_tasks.errors import Infrastructure

CACHE_UNAVAILABLE: Final = "CACHE_UNAVAILABLE"
"""Infrastructure code: the cache volume is full, read-only, stale or failing."""

ABSENT: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG})
"""What the system answers where no file is, or can be. Any other answer is no word about the file."""

ROOM: Final = 1024 * 1024
"""Bytes that must fit again before a held receipt is tried: a long one's cache, its marker and its budget."""


@contextmanager
def volume_trouble(code: str = CACHE_UNAVAILABLE) -> Iterator[None]:
    """Turn any OSError into Infrastructure, by default of the cache volume; the path stays out of the words."""
    try:
        yield
    except OSError as error:
        raise Infrastructure(code, f"the volume failed: {error.strerror}") from error


def write_whole(path: Path, content: bytes) -> None:
    """Replace a file: unique temporary name beside it, fsync, rename, fsync of the folder. Raises Infrastructure."""
    with volume_trouble():
        make_folder(path.parent)
        temporary = path.parent / f".{secrets.token_hex(8)}.tmp"
        try:
            with temporary.open("xb") as file:
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


def read_whole(path: Path, code: str = CACHE_UNAVAILABLE) -> bytes | None:
    """Return a file's bytes, None when there is no such file. Raises Infrastructure with that code."""
    with volume_trouble(code):
        try:
            return path.read_bytes()
        except OSError as error:
            if error.errno in ABSENT:
                return None
            raise


def names_in(folder: Path) -> list[str]:
    """Return the names in a folder, none when there is no such folder. Raises Infrastructure.

    `Path.glob` would pass over a folder that cannot be listed, and what was counted there would be forgotten.
    """
    with volume_trouble():
        try:
            return [path.name for path in folder.iterdir()]
        except (FileNotFoundError, NotADirectoryError):
            return []


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
