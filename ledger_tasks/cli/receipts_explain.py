"""`ledger receipts explain`: one receipt comes in; where it is, why, and what to do next go out on one screen."""

import os
import time
from pathlib import Path

from contracts.receipts.codes import FailureCode
from ledger_tasks.cli.connection import database
from ledger_tasks.cli.lookup import Receipt, find
from ledger_tasks.cli.output import Json, emit, table
from ledger_tasks.discovery.walk import SUFFIXES
from ledger_tasks.errors import Infrastructure, NotFoundError, Terminal
from ledger_tasks.explain import OnDisk, Verdict, of_disk, of_receipt
from ledger_tasks.files.source import open_source
from ledger_tasks.files.stat_index import fingerprint
from ledger_tasks.settings import load
from ledger_tasks.settings.parts import ExplainSettings
from ledger_tasks.storage.database import transaction
from ledger_tasks.whereabouts import whereabouts


def explain(receipt: Receipt, json: Json = False) -> None:
    """Say where a receipt is and why: its state, since when, and the command to run next.

    States: unknown, skipped, invalid, growing, queued, running, retrying, held, dead, exhausted, review, done.

    Example: `ledger receipts explain 2026-08-14/receipts_20260814_0001.pdf`
    """
    settings = load(ExplainSettings)
    sha256 = None
    reference: str | None = receipt
    with database() as engine, transaction(engine) as connection:
        try:
            sha256 = find(connection, receipt)
        except NotFoundError:
            verdict = of_disk(_on_disk(settings.receipt_source_root, receipt, settings.receipt_quiet_seconds))
        else:
            known = whereabouts(connection, sha256, settings.receipt_source_root, settings.home_budget_ocr_cache)
            reference, verdict = known.reference, of_receipt(known, settings.receipt_retry_seconds)
    _show(reference, sha256, verdict, as_json=json)


def _on_disk(root: Path, reference: str, quiet_seconds: float) -> OnDisk:
    if Path(reference).suffix.lower().lstrip(".") not in SUFFIXES:
        return OnDisk("unsupported" if (root / reference).is_file() else "absent")
    try:
        with open_source(root, reference) as file:
            first = fingerprint(os.fstat(file.fileno()))
            time.sleep(quiet_seconds)
            return OnDisk("waiting" if first == fingerprint(os.fstat(file.fileno())) else "growing")
    except Terminal as broken:
        return OnDisk("absent") if broken.code == FailureCode.SOURCE_MISSING else OnDisk("invalid", broken.detail)
    except Infrastructure as trouble:
        return OnDisk("invalid", trouble.detail)


def _show(reference: str | None, sha256: str | None, verdict: Verdict, *, as_json: bool) -> None:
    since = verdict.since.isoformat() if verdict.since else None
    document = {
        "source_reference": reference,
        "source_sha256": sha256,
        "state": verdict.state,
        "reason": verdict.reason,
        "since": since,
        "next": verdict.next,
    }
    if as_json:
        emit(document)
    else:
        table(("", ""), [(name, value) for name, value in document.items() if value])
