"""A receipt's hash and page number come in; the page as it was read goes out, never the bytes of the file itself."""

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from ledger_tasks.errors import Infrastructure, Terminal
from ledger_tasks.files.source import read_verified

DOCUMENT_LIMIT: Final = 256 * 1024 * 1024
"""Bytes of a document, as for OCR."""

DRAW_SECONDS: Final = 20
AT_ONCE: Final = 2
"""Pages that are drawn at one time: drawing costs a core, and these machines have few."""

KEPT: Final = 24
"""Drawn pages that are kept: below 1 MB each; a hash and a number always name the same page."""

_PASSED_ON: Final = ("PATH", "LD_LIBRARY_PATH")
_drawing: Final = threading.BoundedSemaphore(AT_ONCE)


@dataclass(frozen=True, slots=True)
class Picture:
    """One page in gray; boxes of fields are in its pixels."""

    width: int
    height: int
    page: int
    pages: int
    jpeg: bytes


class NoPictureError(Exception):
    """There is nothing to show; the message says why in words for the page."""


def picture(root: Path | None, paths: Sequence[str], sha256: str, page: int) -> Picture:
    """Return a page of the receipt. Raises NoPictureError."""
    if root is None:
        raise NoPictureError("This server does not see the receipt folder (RECEIPT_SOURCE_ROOT is not set).")
    return _drawn(root, tuple(paths), sha256, page)


@lru_cache(maxsize=KEPT)
def _drawn(root: Path, paths: tuple[str, ...], sha256: str, page: int) -> Picture:
    with _drawing:
        return _draw(_document(root, paths, sha256), page)


def _document(root: Path, paths: tuple[str, ...], sha256: str) -> bytes:
    trouble = "the file is at none of its known paths"
    for path in paths:
        try:
            return read_verified(root, path, sha256, limit=DOCUMENT_LIMIT)
        except (Terminal, Infrastructure) as error:
            trouble = error.detail
    raise NoPictureError(f"The file cannot be shown: {trouble}.")


def _draw(document: bytes, page: int) -> Picture:
    with tempfile.TemporaryDirectory(prefix="ledger-page-") as folder:
        try:
            ended = subprocess.run(
                [sys.executable, "-I", "-m", "ledger_tasks.ocr.picture", str(os.getpid()), str(page)],
                input=document,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=DRAW_SECONDS,
                cwd=folder,
                env={name: os.environ[name] for name in _PASSED_ON if name in os.environ} | {"TMPDIR": folder},
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise NoPictureError(f"The file could not be drawn within {DRAW_SECONDS} s.") from None
    if ended.returncode == 3:
        raise NoPictureError(f"The file cannot be drawn: {ended.stdout.decode()}.")
    if ended.returncode != 0:
        raise NoPictureError("The program that draws pages ended in an error.")
    facts, _, jpeg = ended.stdout.partition(b"\n")
    return Picture(**json.loads(facts), jpeg=jpeg)
