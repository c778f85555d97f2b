"""The receipt file: a root and a reference come in, a verified open file or its bytes go out.

No step follows a symlink, so nothing can lead out of the root between a check and its use. A symlink that stays
inside the root is a second path of one receipt: it is resolved first, and what it resolved to is opened without one.
"""

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Final

from contracts.identity import unsafe_reason
from contracts.receipts.codes import FailureCode
from ledger_tasks.errors import Infrastructure, Terminal

SOURCE_UNREADABLE: Final = "SOURCE_UNREADABLE"
"""Infrastructure code: the file is there, and this process cannot read it (ESTALE, EIO, no permission)."""

VOLUME_UNREADABLE: Final = "VOLUME_UNREADABLE"
"""Infrastructure code: the root itself cannot be opened."""

_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
"""O_NONBLOCK: a FIFO that is named like a receipt must not hang the worker that opens it."""

_CHUNK_BYTES: Final = 1 << 20
_ABSENT: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ENXIO})


@contextmanager
def open_source(root: Path, reference: str) -> Iterator[FileIO]:
    """Open a regular file inside the root, unbuffered, for reading.

    Raises Terminal PATH_UNSAFE or SOURCE_MISSING (the caller has proven the volume), else Infrastructure: whatever the
    system answers while the file is open is trouble of its volume.
    """
    reason = unsafe_reason(reference)
    if reason:
        raise Terminal(FailureCode.PATH_UNSAFE, reason)
    descriptor = _open_below(root, reference)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Terminal(FailureCode.SOURCE_MISSING, "the path names no regular file")
        with os.fdopen(descriptor, "rb", buffering=0, closefd=False) as file:
            yield file
    except OSError as error:
        raise _unreadable(error) from error
    finally:
        os.close(descriptor)


def content_hash(file: FileIO) -> str:
    """Return the SHA-256 of the whole file, 64 lowercase hex, in bounded memory; the file is left at its start."""
    file.seek(0)
    found = hashlib.file_digest(file, "sha256").hexdigest()
    file.seek(0)
    return found


def verify(root: Path, reference: str, sha256: str) -> None:
    """Raise Terminal HASH_MISMATCH unless the path names exactly this content now; else as `open_source`."""
    with open_source(root, reference) as file:
        _agree(content_hash(file), sha256)


def read_verified(root: Path, reference: str, sha256: str, *, limit: int) -> bytes:
    """Return the bytes of a file, hashed as they were read: what is returned is what was verified.

    Raises Terminal IMAGE_TOO_LARGE over `limit` bytes, HASH_MISMATCH, and what `open_source` raises.
    """
    with open_source(root, reference) as file:
        if os.fstat(file.fileno()).st_size > limit:
            raise Terminal(FailureCode.IMAGE_TOO_LARGE, f"the file is larger than {limit} bytes")
        content = b"".join(iter(lambda: file.read(_CHUNK_BYTES), b""))
    _agree(hashlib.sha256(content).hexdigest(), sha256)
    return content


def _agree(found: str, expected: str) -> None:
    if found != expected:
        raise Terminal(FailureCode.HASH_MISMATCH, "the content of the file is not the one that was asked for")


def _open_below(root: Path, reference: str) -> int:
    try:
        descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise Infrastructure(VOLUME_UNREADABLE, f"the receipt root cannot be opened: {_words(error)}") from error
    try:
        return _descend(descriptor, root, reference)
    finally:
        os.close(descriptor)


def _descend(root_descriptor: int, root: Path, reference: str) -> int:
    try:
        try:
            return _open_plain(root_descriptor, reference)
        except OSError as error:
            if error.errno not in {errno.ELOOP, errno.ENOTDIR}:
                raise
            return _open_plain(root_descriptor, _resolved(root, reference))
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise Terminal(FailureCode.PATH_UNSAFE, "the path is a loop of symbolic links") from error
        if error.errno in _ABSENT:
            raise Terminal(FailureCode.SOURCE_MISSING, "there is no such file below the receipt root") from error
        raise _unreadable(error) from error


def _resolved(root: Path, reference: str) -> str:
    """Follow symlinks by name; the result holds none, and opening it finds out when that changed meanwhile."""
    base = os.path.realpath(root)
    target = os.path.realpath(f"{base}/{reference}", strict=True)
    if os.path.commonpath([base, target]) != base:
        raise Terminal(FailureCode.PATH_UNSAFE, "a symbolic link leaves the receipt root")
    return os.path.relpath(target, base)


def _open_plain(root_descriptor: int, path: str) -> int:
    """Open a path of plain names, folder by folder, following no symlink (ELOOP or ENOTDIR where one stands)."""
    *folders, name = path.split("/")
    held = root_descriptor
    try:
        for folder in folders:
            below = os.open(folder, _DIRECTORY, dir_fd=held)
            if held != root_descriptor:
                os.close(held)
            held = below
        return os.open(name, _FILE, dir_fd=held)
    finally:
        if held != root_descriptor:
            os.close(held)


def _unreadable(error: OSError) -> Infrastructure:
    return Infrastructure(SOURCE_UNREADABLE, f"the receipt file cannot be read: {_words(error)}")


def _words(error: OSError) -> str:
    """Say what the system said, without the path."""
    return f"{errno.errorcode.get(error.errno or 0, 'OSError')} {error.strerror or ''}".strip()
