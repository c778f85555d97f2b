"""The whole circle with real workers: leases, caches and outcomes as discovery sees them are those that others make."""

import shutil
import time
from pathlib import Path

import pytest

from contracts.identity import batch_cache_request
from tests.integration.discovery.test_scan import numbers

SAMPLES = Path(__file__).parents[2] / "data" / "receipts"
NAMES = ("rail-text-layer.pdf", "truncated.jpg")
BATCH = "840023b1-a078-4914-b074-81bd7129bb75"


def until(condition, seconds=150):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.timeout(400)
def test_leases_end_with_their_outcome_and_a_lost_cache_is_repaired_once(inbox, broker, database, volumes, run_role):
    """One good and one broken receipt through OCR and collector, then rescans, a rebuild and a repair."""
    (inbox.root / "d").mkdir()
    for name in NAMES:
        shutil.copy(SAMPLES / name, inbox.root / "d" / name)
    good, broken = (f"d/{name}" for name in NAMES)
    run_role("ocr", environment=broker.environment | volumes.environment)
    run_role("collector", environment=broker.environment | database.environment_of("ledger_collector"))
    owner = {"DATABASE_URL": inbox.database_url}

    assert inbox.publish() == numbers(discovered=2, published=2)
    until(lambda: len(inbox.sql("SELECT 1 FROM ingest.receipt_processing_status")) == 2)
    until(lambda: not inbox.sql("SELECT 1 FROM ingest.publications WHERE state <> 'ended'"))
    assert inbox.publish() == numbers(discovered=2, skipped=1, exhausted=1)
    assert inbox.publish() == numbers(discovered=2, skipped=1, exhausted=1)

    words = ("ocr-cache", "rebuild", "--source-reference", good, "--request-id", BATCH, "--wait", "--timeout", "150")
    before = inbox.sql("SELECT * FROM budget.receipt_evidence")
    ran = inbox.run(*words, **owner)
    assert ran.code == 0, ran.err
    assert inbox.sql("SELECT request_id::text, outcome FROM budget.receipt_cache_requests") == [
        (batch_cache_request(BATCH, good), "cache_rebuilt")
    ]
    assert inbox.sql("SELECT * FROM budget.receipt_evidence") == before
    assert inbox.run("batches", "watch", BATCH, "--timeout", "5", **owner).json["outcomes"] == {"cache_rebuilt": 1}
    assert inbox.publish() == numbers(discovered=2, skipped=1, exhausted=1)

    (inbox.cache / f"{good}.json").unlink()
    assert inbox.publish() == numbers(discovered=2, published=1, cache_missing=1, exhausted=1)
    until(lambda: inbox.sql("SELECT 1 FROM budget.receipt_reprocess_requests"))
    until(lambda: not inbox.sql("SELECT 1 FROM ingest.publications WHERE state <> 'ended'"))
    assert inbox.publish() == numbers(discovered=2, skipped=1, exhausted=1)

    assert inbox.run("receipts", "reprocess", broken, "--wait", "--timeout", "150", **owner).code == 5
