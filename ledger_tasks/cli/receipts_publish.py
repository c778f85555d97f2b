"""`ledger receipts publish` and `ledger receipts process`: find receipts and queue what needs work.

Each prints one line of JSON, with --json or without.
"""

from pathlib import Path
from typing import Annotated, Final

import typer

from ledger_tasks.cli.output import Json, emit, say
from ledger_tasks.cli.progress import progress
from ledger_tasks.cli.sources import existing_folder
from ledger_tasks.discovery.scan import Locked
from ledger_tasks.discovery.start import run_scan
from ledger_tasks.errors import UsageError
from ledger_tasks.settings import PublisherSettings, load

PATIENCE_SECONDS: Final = 30.0
"""How long a command waits for files that are still being written; the clock of beat does not wait at all."""

Root = Annotated[Path | None, typer.Argument(help="The receipt root; RECEIPT_SOURCE_ROOT by default.")]
IgnoreLeases = Annotated[
    bool, typer.Option("--ignore-leases", help="Publish also what is already queued (duplicates are harmless).")
]


def publish(root: Root = None, ignore_leases: IgnoreLeases = False, _json: Json = False) -> None:
    """Find receipts and queue those that need work; every publication is confirmed by the broker.

    Prints one line of JSON. Receipts that are already queued, done or given up are counted, not published.

    Example: `ledger receipts publish`
    """
    settings = load(PublisherSettings)
    place = existing_folder(root or settings.receipt_source_root)
    with progress("receipts", None) as on_counted:
        result = run_scan(
            settings,
            place,
            patience=PATIENCE_SECONDS,
            ignore_leases=ignore_leases,
            on_invalid=lambda reference, reason: say(f"invalid: {ascii(reference)[1:-1]}: {reason}"),
            on_progress=lambda summary: on_counted(summary.discovered),
        )
    if isinstance(result, Locked):
        say("locked: another scan is running; it finds the same receipts")
        emit({"status": "locked"})
        return
    if result.trouble is None or result.summary.published:
        emit(result.summary.document())
    if result.trouble is not None:
        raise result.trouble


def process(
    root: Root = None,
    refresh_ocr_cache: Annotated[
        bool, typer.Option("--refresh-ocr-cache", help="Read every receipt again and replace what was extracted.")
    ] = False,
    request_id: Annotated[
        str | None, typer.Option(help="With --refresh-ocr-cache: the batch id of a run that was cut short.")
    ] = None,
    ignore_leases: IgnoreLeases = False,
    _json: Json = False,
) -> None:
    """Queue receipts for processing: those that need it, or with --refresh-ocr-cache all of them.

    Example: `ledger receipts process --refresh-ocr-cache`
    """
    if refresh_ocr_cache:
        from ledger_tasks.cli.refresh import refresh_all  # noqa: PLC0415 (it needs no database, and publish does)

        refresh_all(root, request_id)
    elif request_id is not None:
        raise UsageError("--request-id goes with --refresh-ocr-cache: a scan needs none")
    else:
        publish(root, ignore_leases)
