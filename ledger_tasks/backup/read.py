"""A tar made by this or an earlier version comes in; an empty database and a cache hold everything again."""

import hashlib
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from pydantic import ValidationError
from sqlalchemy import Connection, Engine

from ledger_tasks.backup.fit import need_current, need_empty
from ledger_tasks.backup.manifest import ARTIFACT, FORMAT, MANIFEST, Manifest, TablePart, refuse_misfit, table_member
from ledger_tasks.errors import UsageError
from ledger_tasks.files.artifacts import keep_artifact, put_back
from ledger_tasks.storage import backup
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.rebuild import fill_ingest

BATCH_BYTES: Final = 4 << 20
"""Of rows in one statement: many small rows travel together, and large ones do not fill the memory."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What came in: the manifest, how many artifacts were kept, and how many caches stand at their paths again."""

    manifest: Manifest
    artifacts: int
    caches: int


def read_backup(engine: Engine, cache: Path, path: Path, *, lock_seconds: float, dry_run: bool = False) -> Imported:
    """Bring in rows and artifacts in one transaction, then put caches back at their paths.

    With `dry_run` everything is checked, rows against every rule of the tables, and nothing is kept.
    Raises UsageError for a file that is no whole backup, ConflictError unless the database is empty,
    ConfigurationError when it does not fit, FailedForGoodError for a row that may not be, Infrastructure.
    """
    with _opened(path) as tar:
        manifest = _manifest(tar)
        with transaction(engine) as connection, backup.obeying_rules():
            backup.without_timeout(connection)
            need_current(connection)
            need_empty(connection)
            refuse_misfit(manifest, backup.forms())
            savepoint = connection.begin_nested()
            for part in sorted(manifest.tables, key=lambda each: list(backup.forms()).index(each.name)):
                _bring_in(connection, tar, part)
            backup.settle(connection)
            fill_ingest(connection)
            kept = sum(_keep(tar, member, cache, dry_run=dry_run) for member in tar)
            if kept != manifest.artifacts:
                raise _broken(f"it holds {kept} of {manifest.artifacts} artifacts")
            if dry_run:
                savepoint.rollback()
    return Imported(manifest, kept, 0 if dry_run else _put_back(engine, cache, lock_seconds))


def _opened(path: Path) -> tarfile.TarFile:
    try:
        return tarfile.open(path, mode="r:")
    except OSError as trouble:
        raise UsageError(f"{path} cannot be read: {trouble.strerror}") from trouble
    except tarfile.TarError:
        raise _broken("it is no tar") from None


def _manifest(tar: tarfile.TarFile) -> Manifest:
    """Return the manifest. It is the last member: without it the backup was cut short."""
    try:
        content = _member(tar, MANIFEST).read()
        return Manifest.model_validate_json(content)
    except tarfile.TarError:
        raise _broken("it was cut short") from None
    except ValidationError:
        raise _broken(f"its manifest is not of format {FORMAT}: a later version may have made it") from None


def _bring_in(connection: Connection, tar: tarfile.TarFile, part: TablePart) -> None:
    rows, digest = 0, hashlib.sha256()
    for batch in _batches(_member(tar, table_member(part.name))):
        for line in batch:
            digest.update(line)
        rows += len(batch)
        backup.insert_lines(connection, part.name, part.columns, [line.decode() for line in batch])
    if (rows, digest.hexdigest()) != (part.rows, part.sha256):
        raise _broken(f"the rows of {part.name} are not those that were exported")


def _batches(lines: IO[bytes]) -> Iterator[list[bytes]]:
    batch: list[bytes] = []
    size = 0
    for line in lines:
        batch.append(line)
        size += len(line)
        if size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _keep(tar: tarfile.TarFile, member: tarfile.TarInfo, cache: Path, *, dry_run: bool) -> int:
    """Keep a member that is an artifact; return how many it is."""
    found = ARTIFACT.fullmatch(member.name)
    if found is None:
        return 0
    content = _member(tar, member).read()
    if hashlib.sha256(content).hexdigest() != found[1]:
        raise _broken(f"{member.name} is not what was exported")
    if not dry_run:
        keep_artifact(cache, found[1], content)
    return 1


def _put_back(engine: Engine, cache: Path, lock_seconds: float) -> int:
    with transaction(engine) as connection:
        known = backup.cached_sources(connection)
    return sum(put_back(cache, *each, lock_seconds=lock_seconds) for each in known)


def _member(tar: tarfile.TarFile, member: tarfile.TarInfo | str) -> IO[bytes]:
    try:
        content = tar.extractfile(member)
    except KeyError:
        content = None
    if content is None:
        raise _broken(f"{member} is missing: it was cut short")
    return content


def _broken(why: str) -> UsageError:
    return UsageError(f"the file is no whole backup: {why}", remedy="Use another copy of it; nothing was changed.")
