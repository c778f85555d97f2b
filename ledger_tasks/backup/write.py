"""A database and a cache come in; one tar with every durable row and artifact goes out, streamed."""

import hashlib
import io
import tarfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from sqlalchemy import Connection, Engine

from contracts.wire import canonical
from ledger_tasks.backup.fit import need_current
from ledger_tasks.backup.manifest import FORMAT, MANIFEST, Manifest, TablePart, artifact_member, table_member
from ledger_tasks.files.artifacts import sound_artifact
from ledger_tasks.storage import backup
from ledger_tasks.storage.database import at_one_moment, transaction


def write_backup(engine: Engine, cache: Path, file: IO[bytes], spool: Path, *, program: str, at: datetime) -> Manifest:
    """Write the rows as they are at one moment, then the artifacts that they name, and the manifest last.

    `spool` is a folder with room for the largest table. Raises ConfigurationError, Infrastructure.
    """
    with transaction(at_one_moment(engine)) as connection, tarfile.open(fileobj=file, mode="w") as tar:
        backup.without_timeout(connection)
        revision = need_current(connection)
        tables = tuple(_add_table(tar, connection, name, form, spool, at) for name, form in backup.forms().items())
        missing: list[str] = []
        stored = 0
        for sha256 in backup.named_by_rows(connection):
            content = sound_artifact(cache, sha256)
            if content is None:
                missing.append(sha256)
            else:
                _add(tar, artifact_member(sha256), io.BytesIO(content), len(content), at)
                stored += 1
        manifest = Manifest(
            format=FORMAT,
            program=program,
            revision=revision,
            made_at=at,
            tables=tables,
            artifacts=stored,
            missing_artifacts=tuple(missing),
        )
        content = canonical(manifest.model_dump(mode="json"))
        _add(tar, MANIFEST, io.BytesIO(content), len(content), at)
    return manifest


def _add_table(
    tar: tarfile.TarFile, connection: Connection, name: str, form: backup.Form, spool: Path, at: datetime
) -> TablePart:
    """Write a table beside the tar first: a member says its size before its content."""
    rows, digest = 0, hashlib.sha256()
    with TemporaryFile(dir=spool) as lines:
        for page in _pages(connection, name):
            rows += page.count(b"\n")
            digest.update(page)
            lines.write(page)
        size = lines.tell()
        lines.seek(0)
        _add(tar, table_member(name), lines, size, at)
    return TablePart(name=name, columns=form.columns, rows=rows, sha256=digest.hexdigest())


def _pages(connection: Connection, name: str) -> Iterator[bytes]:
    for page in backup.read_table(connection, name):
        yield "".join(f"{line}\n" for line in page).encode()


def _add(tar: tarfile.TarFile, name: str, content: IO[bytes], size: int, at: datetime) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mtime, member.mode = size, int(at.timestamp()), 0o600
    tar.addfile(member, content)
