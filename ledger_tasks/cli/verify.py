"""`ledger verify`: both volumes and the database are read, and every difference goes out with its remedy."""

from collections import Counter
from dataclasses import asdict

import typer

from ledger_tasks.cli.connection import database
from ledger_tasks.cli.output import Json, emit, say, table
from ledger_tasks.cli.progress import progress
from ledger_tasks.files.volumes import prove
from ledger_tasks.settings import VolumeSettings, load
from ledger_tasks.verification.verify import verify as differences


def verify(as_json: Json = False) -> None:
    """Check files, hashes, caches, artifacts, markers and rows against each other; nothing is changed.

    Reads every receipt and every cache to its end. Exit code 5 when something is wrong, 0 with notices only. While
    workers run, what is under way may show up: look again when the queues are empty.

    Example: `ledger verify --json`
    """
    settings = load(VolumeSettings)
    root, cache = settings.receipt_source_root, settings.home_budget_ocr_cache
    with database() as engine, progress("receipts", None) as on_read:
        prove(root, cache)
        found = differences(engine, root, cache, on_read)
    wrong = sum(each.verdict == "wrong" for each in found)
    if as_json:
        emit({"findings": [asdict(each) for each in found], "wrong": wrong})
    else:
        rows = [
            (each.verdict, each.code, each.source_reference or each.source_sha256, each.detail, each.remedy, each.next)
            for each in found
        ]
        if rows:
            table(("", "Code", "Receipt", "Found", "Remedy", "Next"), rows)
        counts = ", ".join(f"{code} {count}" for code, count in sorted(Counter(each.code for each in found).items()))
        say(counts or "Files, caches, artifacts, markers and rows agree.")
    if wrong:
        raise typer.Exit(5)
