"""What is lost comes back from the files, caches first, and what people said is said of it again."""

import json
from hashlib import sha256

import psycopg
from pydantic import SecretStr

from ledger_tasks.cli import run
from ledger_tasks.collector.apply import collect
from ledger_tasks.files.cache import artifact_path, cache_path, find_cache
from ledger_tasks.storage.database import connect
from tests.support.events import failed
from tests.support.ledger import AT, book_receipt, put_receipt, tell


def test_lost_readings_and_caches_come_back_and_corrections_stay(database, volumes, broker, monkeypatch, capsys):
    for name, value in (database.environment | volumes.environment | broker.environment).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("RECEIPT_QUIET_SECONDS", "0.1")
    engine = connect(SecretStr(database.url))
    kept, uncached, lost = (
        book_receipt(volumes, engine, f"{name}.pdf", total=total)
        for name, total in (("kept", "1.00"), ("uncached", "2.00"), ("lost", "3.00"))
    )
    put_receipt(volumes, "new.pdf")
    put_receipt(volumes, "dead.pdf", b"%PDF- but no more")
    collect(
        [failed("dead", "dead run").model_copy(update={"source_sha256": sha256(b"%PDF- but no more").hexdigest()})],
        engine,
        AT,
    )
    cache_path(volumes.cache, "kept.pdf").unlink()
    artifact_path(volumes.cache, find_cache(volumes.cache, uncached, "uncached.pdf").sha256).unlink()
    cache_path(volumes.cache, "uncached.pdf").unlink()
    with psycopg.connect(database.url, autocommit=True) as owner:
        owner.execute("UPDATE budget.expenses SET category = 'food' WHERE source_sha256 = %s", [lost])
        owner.execute(
            "INSERT INTO budget.receipt_corrections (source_sha256, field, value, corrected_at)"
            " VALUES (%s, 'merchant', 'The Corrected', now())",
            [lost],
        )
        owner.execute("DELETE FROM budget.receipt_evidence WHERE source_sha256 = %s", [lost])

        def rebuild(*words):
            capsys.readouterr()
            assert run(["rebuild", "--from-files", "--json", *words]) == 0
            return json.loads(capsys.readouterr().out)

        planned = {
            "corrected": 1,
            "dead": ["dead.pdf"],
            "gone": [],
            "put_back": ["kept.pdf"],
            "read": ["new.pdf"],
            "stand": 0,
            "told": ["lost.pdf"],
            "uncached": ["uncached.pdf"],
        }
        assert rebuild("--dry-run") == planned | {"dry_run": True}
        assert not cache_path(volumes.cache, "kept.pdf").exists()

        done = rebuild("--yes")
        assert done["scan"]["published"] == 3
        assert find_cache(volumes.cache, kept, "kept.pdf")
        tell(volumes, engine, "lost.pdf", lost)
        query = "SELECT merchant, category, total FROM budget.expenses WHERE source_sha256 = %s"
        assert [str(value) for value in owner.execute(query, [lost]).fetchone()] == ["The Corrected", "food", "3.0000"]
        query = "SELECT status FROM ingest.receipt_processing_status WHERE source_sha256 = %s"
        assert owner.execute(query, [lost]).fetchone() == ("succeeded",)
        query = "SELECT last_error_code FROM ingest.receipt_processing_status WHERE status = 'failed'"
        assert owner.execute(query).fetchall() == [("PDF_CORRUPT",)]
    engine.dispose()
