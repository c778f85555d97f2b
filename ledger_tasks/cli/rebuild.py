"""`ledger rebuild --from-files`: database and cache are derived anew from the receipts and from what people said."""

from typing import Annotated, Any

import typer

from ledger_tasks.cli.connection import database
from ledger_tasks.cli.output import DryRun, Json, Yes, emit, say
from ledger_tasks.cli.progress import progress
from ledger_tasks.cli.receipts_publish import PATIENCE_SECONDS
from ledger_tasks.cli.sources import existing_folder
from ledger_tasks.discovery.batch import Source, find_sources
from ledger_tasks.discovery.mounted import prove_mounted
from ledger_tasks.discovery.scan import Locked
from ledger_tasks.discovery.start import run_scan
from ledger_tasks.errors import ConflictError, UsageError
from ledger_tasks.rederive.carry_out import carry_out
from ledger_tasks.rederive.plan import Plan, plan
from ledger_tasks.settings import PublisherSettings, load
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.rederive import corrected, dead, readings

FromFiles = Annotated[bool, typer.Option("--from-files", help="Derive from the receipts below the root.")]


def rebuild(from_files: FromFiles = False, dry_run: DryRun = False, yes: Yes = False, as_json: Json = False) -> None:
    """Derive database and cache anew from the receipt files, the caches that are left, and human corrections.

    Shows what it would do and asks; --dry-run only shows it. A receipt whose reading stands keeps it. One whose
    reading is lost is queued: with a valid cache its results are told again without OCR, without one it is read. A
    lost cache comes back from its artifact, else by OCR. Corrections in the database are applied to every reading
    that comes back, and bookings keep category and export mark. Stop the workers first; DATABASE_URL is the owner's.

    It cannot bring back what no file holds: corrections, categories, export marks, bookings without a receipt,
    outcomes of requests, dead letters and everything of recognition come from `ledger backup import` alone. The
    runs, passes and events of a lost reading are forgotten, so that it can be told again. Lost receipts stay lost.

    Example: `ledger rebuild --from-files --dry-run`
    """
    if not from_files:
        raise UsageError("say from what", remedy="Use --from-files, with --dry-run first.")
    settings = load(PublisherSettings)
    root, cache = existing_folder(settings.receipt_source_root), settings.home_budget_ocr_cache
    prove_mounted(root, cache)
    with database() as engine:
        with progress("hashed", None) as on_found:
            sources = find_sources(root, on_found, lambda path, why: say(f"invalid: {ascii(path)[1:-1]}: {why}"))
        with transaction(engine) as connection:
            stand, said, letters = readings(connection), corrected(connection), dead(connection)
        made = plan(cache, sources, stand, letters)
        document = _document(made, {*stand, *said} - {source.sha256 for source in sources}, said)
        if not as_json or not (yes or dry_run):
            say(_words(document))
        if not dry_run:
            if not yes:
                typer.confirm("Derive them anew?", abort=True, err=True)
            carry_out(engine, cache, made, lock_seconds=settings.lock_seconds)
            document["scan"] = _scan(settings)
    if as_json:
        emit(document | {"dry_run": dry_run})
    elif not dry_run:
        say("next: ledger status")


def _scan(settings: PublisherSettings) -> dict[str, Any]:
    """Queue what is lost the ordinary way: a scan without leases and without statuses of what was never finished."""
    with progress("receipts", None) as on_counted:
        result = run_scan(
            settings,
            settings.receipt_source_root,
            patience=PATIENCE_SECONDS,
            on_invalid=lambda reference, reason: say(f"invalid: {ascii(reference)[1:-1]}: {reason}"),
            on_progress=lambda summary: on_counted(summary.discovered),
        )
    if isinstance(result, Locked):
        raise ConflictError(
            "another scan is running",
            remedy="It queues what was prepared; look at its outcome.",
            next_command="ledger status",
        )
    if result.trouble is not None:
        raise result.trouble
    return result.summary.document()


def _document(made: Plan, gone: set[str], said: set[str]) -> dict[str, Any]:
    """Return the plan as JSON shows it: paths of what would be done; `gone`: hashes in the database without a file."""
    return {
        "corrected": len(said),
        "dead": _paths(made.dead),
        "gone": sorted(gone),
        "put_back": _paths([source for source, _ in made.put_back]),
        "read": _paths(made.read),
        "stand": len(made.stand),
        "told": _paths(made.told),
        "uncached": _paths(made.uncached),
    }


def _paths(sources: list[Source]) -> list[str]:
    return [source.reference for source in sources]


def _words(document: dict[str, Any]) -> str:
    return (
        f"{document['stand']} receipts stand; caches back from artifacts: {len(document['put_back'])}; "
        f"caches to be read: {len(document['uncached'])}; told again from their caches: {len(document['told'])}; "
        f"to be read: {len(document['read'])}; dead letters: {len(document['dead'])}; "
        f"corrected by people: {document['corrected']}; without a file: {len(document['gone'])}"
    )
