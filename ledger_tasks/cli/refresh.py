"""Refreshes on request: `receipts reprocess`, `receipts process --refresh-ocr-cache` and `ocr-cache rebuild`.

Each prints one line of JSON, with --json or without.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

import typer

from contracts.receipts.work import reprocess as reprocess_work
from ledger_tasks.cli.connection import database
from ledger_tasks.cli.following import conclude, follow
from ledger_tasks.cli.lookup import Receipt
from ledger_tasks.cli.output import Json, Timeout, Wait, emit
from ledger_tasks.cli.progress import progress
from ledger_tasks.cli.sources import all_sources, existing_folder, source_at, source_meant
from ledger_tasks.clock import new_id
from ledger_tasks.discovery import batch
from ledger_tasks.discovery.batch import Batch, Mode, Queued
from ledger_tasks.discovery.mounted import prove_mounted, volumes_needed
from ledger_tasks.errors import UsageError
from ledger_tasks.files.batches import announce
from ledger_tasks.files.urgency import urgent
from ledger_tasks.messaging.ready import ready_publisher
from ledger_tasks.messaging.topology import RECEIPTS
from ledger_tasks.settings import RefreshSettings, load

RequestId = Annotated[
    str | None, typer.Option("--request-id", help="Reuse the UUID of a request whose publication was uncertain.")
]


def reprocess(
    ref: Receipt,
    request_id: RequestId = None,
    wait: Wait = False,
    timeout: Timeout = 600.0,
    _json: Json = False,
) -> None:
    """Read one receipt again and replace what was extracted from it; human corrections stay.

    Needs no database, except with --wait or for a hash. Prints the request id: with it, running again is safe.

    Example: `ledger receipts reprocess 2026-08-14/receipt.pdf --wait`
    """
    settings = load(RefreshSettings)
    request = _uuid(request_id)
    root = existing_folder(settings.receipt_source_root)
    prove_mounted(root, settings.home_budget_ocr_cache)
    with volumes_needed():
        source = source_meant(root, ref)
    rerun = f"ledger receipts reprocess {source.reference} --request-id {request}"
    work = reprocess_work(source.sha256, source.reference, request)
    with ready_publisher(settings) as publisher:
        queued = batch.queue([work], publisher, rerun=rerun)
    document = {
        "queue": RECEIPTS.work,
        "request_id": request,
        "source_reference": source.reference,
        "source_sha256": source.sha256,
        "status": "queued" if queued.confirmed else "unconfirmed",
    }
    _finish(document, queued)
    if wait:
        _await("reprocess", [(source.sha256, request)], timeout)


def refresh_all(root: Path | None, request_id: str | None) -> None:
    """Read every receipt below the root again: a batch of v2."""
    settings = load(RefreshSettings)
    place = root or settings.receipt_source_root
    _queue_batch(settings, place, "reprocess", None, missing_only=False, request_id=request_id)


def rebuild(
    source_reference: Annotated[str | None, typer.Option(help="Only this receipt: a path below the root.")] = None,
    missing_only: Annotated[bool, typer.Option("--missing-only", help="Only receipts without a valid cache.")] = False,
    request_id: RequestId = None,
    wait: Wait = False,
    timeout: Timeout = 3600.0,
    _json: Json = False,
) -> None:
    """Make OCR caches anew; extraction and status of the receipts stay as they are.

    Needs no database, except with --wait. Prints the batch id: with it, running again is safe.

    Example: `ledger ocr-cache rebuild --missing-only`
    """
    settings = load(RefreshSettings)
    root = settings.receipt_source_root
    made = _queue_batch(
        settings, root, "cache_only", source_reference, missing_only=missing_only, request_id=request_id
    )
    if wait:
        _await("cache_only", made.requests(), timeout)


def _queue_batch(
    settings: RefreshSettings,
    root: Path,
    mode: Mode,
    reference: str | None,
    *,
    missing_only: bool,
    request_id: str | None,
) -> Batch:
    """Choose, announce, publish and print a batch; the database is not asked."""
    batch_id, cache = _uuid(request_id), settings.home_budget_ocr_cache
    prove_mounted(existing_folder(root), cache)
    with volumes_needed():
        found = (source_at(root, reference),) if reference else all_sources(root)
        wanted = batch.without_cache(cache, found) if missing_only else found
        made = Batch(batch_id, mode, wanted)
        announce(cache, batch_id, mode, made.requests())
        token = urgent(cache)
    queued = Queued(0, None)
    if wanted:
        with ready_publisher(settings) as publisher, progress("published", len(wanted)) as on_confirmed:
            queued = batch.queue(
                list(made.works()),
                publisher,
                rerun=_rerun(made, reference, missing_only),
                yielded=token,
                on_confirmed=on_confirmed,
            )
    document = {
        "batch_id": batch_id,
        "confirmed": queued.confirmed,
        "queue": RECEIPTS.work,
        "request_id": batch_id,
        "selected": len(wanted),
        "skipped_existing": len(found) - len(wanted),
        "status": "queued" if queued.trouble is None else "partial",
        "total": len(found),
    }
    _finish(document, queued)
    return made


def _rerun(made: Batch, reference: str | None, missing_only: bool) -> str:
    words = "receipts process --refresh-ocr-cache" if made.mode == "reprocess" else "ocr-cache rebuild"
    one = f" --source-reference {reference}" if reference else ""
    return f"ledger {words}{one}{' --missing-only' * missing_only} --request-id {made.id}"


def _finish(document: dict[str, Any], queued: Queued) -> None:
    """Print what was done, also when it was cut short: the request id is what makes the rerun safe."""
    emit(document)
    if queued.trouble is not None:
        raise queued.trouble


def _await(mode: Mode, requests: Sequence[tuple[str, str]], timeout: float) -> None:
    with database() as engine, progress("finished", len(requests)) as on_progress:
        ended = follow(engine, mode, requests, timeout=timeout, on_progress=on_progress)
    conclude(ended)


def _uuid(given: str | None) -> str:
    if given is None:
        return new_id()
    try:
        return str(UUID(given))
    except ValueError:
        raise UsageError("--request-id is not a UUID", remedy="Use the one that the first run printed.") from None
