"""Walk a receipt root: a folder comes in, one value per file goes out; nothing is read, and no bad file ends it."""

import errno
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from contracts.identity import unsafe_reason
from contracts.receipts.work import RebuildCacheInBatch, encode_work
from contracts.wire import ContractError
from ledger_tasks.errors import Infrastructure, Terminal
from ledger_tasks.files import canary
from ledger_tasks.files.source import SOURCE_UNREADABLE, VOLUME_UNREADABLE, open_source
from ledger_tasks.files.stat_index import Fingerprint, fingerprint
from ledger_tasks.files.volumes import PROOF

SUFFIXES: Final = frozenset({"pdf", "jpg", "jpeg", "png", "tif", "tiff", "heic", "heif", "webp"})

_SURELY_SHORT: Final = 600
"""Characters of a path that fit into a message however they are escaped (12 bytes each at most)."""

_INDEXED: Final = 2600
"""Bytes of a path that PostgreSQL indexes as it is; a longer one only when it can be compressed below that."""

_UUID: Final = "00000000-0000-4000-8000-000000000000"


class Found(NamedTuple):
    """A file that may be a receipt."""

    reference: str
    fingerprint: Fingerprint


class Invalid(NamedTuple):
    """A file or folder that cannot be a receipt, and why; the reference may hold bytes that are not UTF-8."""

    reference: str
    reason: str


class Unsupported(NamedTuple):
    """A file of another kind: never published, never touched."""

    reference: str


class Folder(NamedTuple):
    """A folder to walk into; its reference ends with a slash, that of the root is empty."""

    reference: str


Sight = Found | Invalid | Unsupported


def walk(root: Path) -> Iterator[Sight]:
    """Yield every file below the root, as `list_folder` sees it."""
    folders = [Folder("")]
    while folders:
        for sight in list_folder(root, folders.pop()):
            if isinstance(sight, Folder):
                folders.append(sight)
            else:
                yield sight


def list_folder(root: Path, folder: Folder) -> Iterator[Sight | Folder]:
    """Yield the files and folders in one folder. Hidden receipts and folders (AppleDouble too) are passed over.

    So is the canary, which is no receipt of anybody. Symbolic links are followed to files inside the root, never into
    folders. Raises Infrastructure when the root itself cannot be listed.
    """
    try:
        with os.scandir(root / folder.reference) as entries:
            for entry in entries:
                sight = _sight(root, folder.reference, entry)
                if sight is not None:
                    yield sight
    except OSError as error:
        if not folder.reference:
            raise Infrastructure(VOLUME_UNREADABLE, f"the receipt root cannot be listed: {error.strerror}") from error
        if error.errno != errno.ENOENT:
            yield Invalid(folder.reference, f"the folder cannot be listed: {error.strerror}")


def _sight(root: Path, folder: str, entry: os.DirEntry[str]) -> Sight | Folder | None:
    """Judge one entry; None for one to pass over, or one that vanished."""
    reference = f"{folder}{entry.name}"
    if entry.is_dir(follow_symlinks=False):
        return None if entry.name.startswith(".") or reference == canary.FOLDER else Folder(f"{reference}/")
    supported = entry.name.rpartition(".")[2].lower() in SUFFIXES and "." in entry.name
    if entry.name.startswith("."):
        return None if supported or entry.name == PROOF else Unsupported(reference)
    if entry.is_symlink():
        return _through_link(root, reference, supported)
    return _regular(reference, entry) if supported else Unsupported(reference)


def _regular(reference: str, entry: os.DirEntry[str]) -> Sight | None:
    reason = _problem(reference)
    if reason:
        return Invalid(reference, reason)
    try:
        if not entry.is_file(follow_symlinks=False):
            return Invalid(reference, "it is no regular file")
        return Found(reference, fingerprint(entry.stat(follow_symlinks=False)))
    except FileNotFoundError:
        return None
    except OSError as error:
        return Invalid(reference, f"it cannot be looked at: {error.strerror}")


def _through_link(root: Path, reference: str, supported: bool) -> Sight | None:
    try:
        with open_source(root, reference) as file:
            return Found(reference, fingerprint(os.fstat(file.fileno()))) if supported else Unsupported(reference)
    except Terminal as broken:
        if broken.code == "SOURCE_MISSING" and not supported:
            return None
        return Invalid(reference, broken.detail)
    except Infrastructure as trouble:
        if trouble.code != SOURCE_UNREADABLE:
            raise
        return Invalid(reference, trouble.detail)


def _problem(reference: str) -> str | None:
    """Say why a reference can be in no message, or None; plain names take the short way."""
    if reference.isascii() and reference.isprintable() and "\\" not in reference and len(reference) <= _SURELY_SHORT:
        return None
    return unsafe_reason(reference) or _too_long(reference)


def _too_long(reference: str) -> str | None:
    if len(reference) <= _SURELY_SHORT:
        return None
    written = reference.encode()
    if len(written) > _INDEXED and 2 * len(zlib.compress(written)) > _INDEXED:
        return f"the path is too long for an index of the database: {len(written)} bytes"
    longest = RebuildCacheInBatch(
        version=3,
        source_sha256="0" * 64,
        source_reference=reference,
        attempt=1,
        request_id=_UUID,
        batch_id=_UUID,
        batch_index=10**9,
        batch_total=10**9,
    )
    try:
        encode_work(longest)
    except ContractError as error:
        return f"the path is too long for a message: {error.detail}"
    return None
