"""`ledger receipts explain`: one receipt comes in; where it is, why, and what to do next go out on one screen."""

import os
import time
from pathlib import Path

from sqlalchemy import Connection

from contracts.receipts.codes import FailureCode
from ledger_tasks.cli.connection import database
from ledger_tasks.cli.lookup import Receipt, find
from ledger_tasks.cli.output import Json, emit, table
from ledger_tasks.discovery.walk import SUFFIXES
from ledger_tasks.errors import Infrastructure, NotFoundError, Terminal
from ledger_tasks.explain import Known, Letter, OnDisk, Verdict, of_disk, of_receipt
from ledger_tasks.files.attempts import starts_of, stopping_starts
from ledger_tasks.files.locks import is_locked
from ledger_tasks.files.source import open_source
from ledger_tasks.files.stat_index import fingerprint
from ledger_tasks.files.volumes import prove
from ledger_tasks.settings import load
from ledger_tasks.settings.parts import ExplainSettings
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.explaining import open_letters, stand
from ledger_tasks.storage.receipt_list import listed_receipt


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
            known = _known(connection, sha256, settings)
            reference, verdict = known.reference, of_receipt(known, settings.receipt_retry_seconds)
    _show(reference, sha256, verdict, as_json=json)


def _known(connection: Connection, sha256: str, settings: ExplainSettings) -> Known:
    brief, found = listed_receipt(connection, sha256), stand(connection, sha256)
    assert brief is not None, "find returned a hash that ingest knows"
    cache = settings.home_budget_ocr_cache
    gone = stopping_starts(cache, sha256)
    begun = found.leased_since or found.since
    starts = [each for each in starts_of(cache, sha256) if each.id not in gone and (begun is None or each.at >= begun)]
    return Known(
        reference=brief.source_reference,
        status=found.status,
        since=found.since,
        leased_since=found.leased_since,
        error_code=found.error_code,
        error=found.error,
        reasons=found.reasons,
        letters=[Letter(each.id, each.code, each.detail, each.dead_at) for each in open_letters(connection, sha256)],
        starts=sorted(starts, key=lambda each: each.at),
        locked=is_locked(cache, sha256),
        volume_trouble=_volume_trouble(settings.receipt_source_root, cache),
        evidence_id=found.evidence_id,
        expense_id=found.expense_id,
    )


def _volume_trouble(root: Path, cache: Path) -> str | None:
    try:
        prove(root, cache)
    except Infrastructure as trouble:
        return f"{trouble.code}: {trouble.detail}"
    return None


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
