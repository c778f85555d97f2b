"""`ledger backup export|import`: everything durable leaves as one file, or comes back from it."""

from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer

from ledger_tasks.backup.manifest import Manifest
from ledger_tasks.backup.read import read_backup
from ledger_tasks.backup.write import write_backup
from ledger_tasks.cli.connection import database
from ledger_tasks.cli.outfile import replaced
from ledger_tasks.cli.output import DryRun, Json, emit, say
from ledger_tasks.clock import now
from ledger_tasks.discovery.mounted import prove_mounted
from ledger_tasks.settings import VolumeSettings, load

File = Annotated[Path, typer.Argument(metavar="FILE", help="The backup: a tar.")]


def export(file: File, as_json: Json = False) -> None:
    """Write every durable row, as it is at one moment, and the artifacts that rows name to one tar.

    Receipts themselves and the objects of recognition stay where they are: back up their folders beside it.
    DATABASE_URL must be that of the database's owner. Workers may go on meanwhile.

    Example: `ledger backup export /backup/ledger.tar`
    """
    settings = load(VolumeSettings)
    cache = settings.home_budget_ocr_cache
    prove_mounted(settings.receipt_source_root, cache)
    with database() as engine, replaced(file) as out:
        made = write_backup(engine, cache, out, file.absolute().parent, program=version("ledger-tasks"), at=now())
    if as_json:
        emit(_document(made) | {"file": str(file)})
        return
    say(f"{file}: {_words(made)}")
    for sha256 in made.missing_artifacts:
        say(f"missing: the artifact {sha256} is named by a row and not in the cache; next: ledger verify")


def import_(file: File, dry_run: DryRun = False, as_json: Json = False) -> None:
    """Bring a backup of this or an earlier version into an empty, migrated database and put its caches back.

    DATABASE_URL must be that of the database's owner. A later `ledger receipts publish` finds what is new.

    Example: `ledger backup import /backup/ledger.tar`
    """
    settings = load(VolumeSettings)
    cache = settings.home_budget_ocr_cache
    prove_mounted(settings.receipt_source_root, cache)
    with database() as engine:
        done = read_backup(engine, cache, file, lock_seconds=settings.lock_seconds, dry_run=dry_run)
    if as_json:
        emit(_document(done.manifest) | {"caches": done.caches, "dry_run": dry_run, "file": str(file)})
    elif dry_run:
        say(f"{file} can be imported: {_words(done.manifest)}; nothing was changed")
    else:
        say(f"{file} is imported: {_words(done.manifest)}; {done.caches} caches are back; next: ledger verify")


def _document(made: Manifest) -> dict[str, Any]:
    return {
        "artifacts": made.artifacts,
        "made_at": made.made_at.isoformat(),
        "missing_artifacts": list(made.missing_artifacts),
        "program": made.program,
        "revision": made.revision,
        "tables": {part.name: part.rows for part in made.tables},
    }


def _words(made: Manifest) -> str:
    rows = sum(part.rows for part in made.tables)
    return f"{rows} rows of {len(made.tables)} tables, {made.artifacts} artifacts, revision {made.revision}"
