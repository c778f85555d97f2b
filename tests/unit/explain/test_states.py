"""A receipt in each possible state: the right state, reason and next command."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from ledger_tasks.clock import new_id
from ledger_tasks.explain import Known, Letter, OnDisk, of_disk, of_receipt
from ledger_tasks.files.attempts import Start

AT = datetime(2026, 8, 14, 10, tzinfo=UTC)
NEW = Known(
    reference="a.jpg", status=None, since=AT, leased_since=None, error_code=None, error=None, reasons=(), letters=(),
    starts=(), locked=False, volume_trouble=None, evidence_id=None, expense_id=None, copy_of=None,
)  # fmt: skip
QUEUED = replace(NEW, leased_since=AT)


def start(end: str = "open", code: str | None = None) -> Start:
    return Start(id=new_id(), worker="pod:7", at=AT, end=end, code=code)


@pytest.mark.parametrize(
    ("found", "state", "words"),
    [
        (OnDisk("absent"), "unknown", "no file"),
        (OnDisk("waiting"), "unknown", "not been met"),
        (OnDisk("unsupported"), "skipped", "name"),
        (OnDisk("invalid", "a symbolic link leaves the receipt root"), "invalid", "leaves"),
        (OnDisk("growing"), "growing", "being written"),
    ],
)
def test_a_path_that_no_scan_has_taken_up(found: OnDisk, state: str, words: str) -> None:
    verdict = of_disk(found)
    assert verdict.state == state
    assert words in verdict.reason


@pytest.mark.parametrize(
    ("known", "state", "words", "command"),
    [
        (NEW, "unknown", "next scan", "ledger receipts publish"),
        (QUEUED, "queued", "waiting", "ledger status"),
        (replace(QUEUED, starts=(start(),), locked=True), "running", "OCR runs on pod:7, start 1 of 3", ""),
        (replace(QUEUED, starts=(start("failed", "TIMEOUT"),)), "retrying", "retry 2 of 3 after TIMEOUT", ""),
        (replace(QUEUED, starts=(start(),)), "retrying", "the worker was lost", ""),
        (replace(QUEUED, starts=(start("released"),)), "held", "by itself", "ledger doctor"),
        (replace(QUEUED, volume_trouble="VOLUME_NOT_PROVEN: not mounted"), "held", "not mounted", "ledger doctor"),
        (replace(NEW, status="failed", error_code="PDF_ENCRYPTED", error="a password",
                 letters=(Letter("7", "PDF_ENCRYPTED", "a password", AT),)),
         "dead", "Save a copy", "ledger dead show 7"),
        (replace(NEW, status="failed", error_code="TIMEOUT"), "exhausted", "TIMEOUT", "ledger receipts retry a.jpg"),
        (replace(NEW, status="review_required", reasons=("DATE_AMBIGUOUS",)), "review", "DATE_AMBIGUOUS",
         "ledger receipts show a.jpg"),
        (replace(NEW, status="succeeded", evidence_id="1", expense_id="2"), "done", "evidence 1, expense 2", ""),
        (replace(NEW, status="succeeded", evidence_id="1", copy_of="f" * 64), "done", "a copy of ffffffffffff", ""),
        (replace(QUEUED, status="succeeded", starts=(start("ok"),)), "queued", "again", "ledger status"),
    ],
)  # fmt: skip
def test_a_known_receipt(known: Known, state: str, words: str, command: str) -> None:
    verdict = of_receipt(known, 60)
    assert verdict.state == state
    assert words in verdict.reason
    assert verdict.next == command


def test_a_retry_names_when_it_is_due() -> None:
    verdict = of_receipt(replace(QUEUED, starts=(start("failed", "TIMEOUT"),)), 60)
    assert (AT + timedelta(seconds=60)).isoformat() in verdict.reason
