"""The words of a refresh come in; the source files that are meant, hashed, go out."""

import unicodedata
from pathlib import Path

from contracts.receipts.codes import FailureCode
from ledger_tasks.cli import lookup
from ledger_tasks.cli.connection import database
from ledger_tasks.cli.output import say
from ledger_tasks.cli.progress import progress
from ledger_tasks.discovery import batch
from ledger_tasks.discovery.batch import Source
from ledger_tasks.errors import NotFoundError, Terminal, UsageError
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.source_index import paths_of


def existing_folder(path: Path) -> Path:
    """Return the folder of that path as an absolute one. Raises UsageError when there is none."""
    if not path.is_dir():
        raise UsageError(f"{path} is not a folder", remedy="Name the receipt root, or set RECEIPT_SOURCE_ROOT.")
    return path.resolve()


def source_meant(root: Path, words: str) -> Source:
    """Hash the file of REF, SHA or ID; only for a hash the database is asked.

    Raises UsageError for a bad path, NotFoundError for a missing file, Infrastructure.
    """
    is_hash = lookup.HASH.fullmatch(words) and not (root / words).exists()
    return _of_hash(root, words) if is_hash else source_at(root, words)


def source_at(root: Path, reference: str) -> Source:
    """Hash the file of a reference; one that is typed in another normal form of Unicode is found too.

    Raises UsageError for a bad path, NotFoundError for a missing file, Infrastructure.
    """
    forms = [reference, *(unicodedata.normalize(form, reference) for form in ("NFC", "NFD"))]
    for form in dict.fromkeys(forms):
        try:
            return batch.find_source(root, form)
        except Terminal as broken:
            if broken.code != FailureCode.SOURCE_MISSING:
                raise UsageError(f"{reference!r}: {broken.detail}", remedy="Name a path below the root.") from broken
    raise NotFoundError(
        f"there is no file {reference} below the receipt root",
        remedy="Name a path below the root, as `ledger receipts list` shows it.",
    )


def all_sources(root: Path) -> tuple[Source, ...]:
    """Hash every receipt below the root; what cannot be one is said on stderr."""
    with progress("hashed", None) as on_found:
        return batch.find_sources(root, on_found, lambda path, why: say(f"invalid: {ascii(path)[1:-1]}: {why}"))


def _of_hash(root: Path, words: str) -> Source:
    with database() as engine, transaction(engine) as connection:
        sha256 = lookup.find(connection, words)
        paths = paths_of(connection, [sha256]).get(sha256, [])
    for path in paths:
        try:
            source = source_at(root, path)
        except NotFoundError:
            continue
        if source.sha256 == sha256:
            return source
    raise NotFoundError(f"no file below the receipt root holds {sha256} any more", remedy="Put the file back.")
