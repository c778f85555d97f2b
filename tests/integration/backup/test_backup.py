"""What a backup holds comes back to the last digit, also from one that an earlier version made; the rest is refused."""

import hashlib
import io
import json
import tarfile
from pathlib import Path

import psycopg
import pytest
from pydantic import SecretStr

from ledger_tasks.cli import run
from ledger_tasks.files.cache import find_cache
from ledger_tasks.storage import backup
from ledger_tasks.storage.counts import differing
from ledger_tasks.storage.database import connect
from tests.support.ledger import book_receipt
from tests.support.servers import Database, Volumes, fresh

FROZEN = Path(__file__).parents[2] / "data" / "backup" / "revision-0004.tar"
"""Made by `ledger backup export` at revision 0004 of what `fill` below puts there. Never made anew."""

ROWS = """
INSERT INTO budget.receipt_corrections (source_sha256, field, value, corrected_at)
SELECT source_sha256, 'total', '9.50', '2026-08-15 10:00:00.123456+02' FROM budget.receipt_evidence;
INSERT INTO budget.expenses (merchant, date, currency, total, category, exported_at)
VALUES (E'Line\\nbreak "\\\\" \U0001f9fe', '2026-01-31', 'EUR', 123456789012.3456, 'fees', '2026-02-01');
INSERT INTO budget.expense_exports VALUES ('booking:2', '{"total": "1.0000"}', now());
INSERT INTO budget.dead_letters (id, family, code, body, dead_at, headers)
VALUES (gen_random_uuid(), 'receipts.v1', 'CONTRACT_INVALID', '\\x00ff0a22', now(), '{"n": 1.50}');
WITH object AS (
    INSERT INTO recognition.s3_object (bucket, key, bucket_role) VALUES ('arm-ka', 'a/b', 'uploads') RETURNING id
), file AS (
    INSERT INTO recognition.stored_file (original_name, s3_object_id) SELECT 'a.xlsx', id FROM object RETURNING id
), job AS (
    INSERT INTO recognition.recognition_job (file_id, pipeline) SELECT id, 'tabular' FROM file RETURNING id, file_id
), document AS (
    INSERT INTO recognition.document (file_id, recognition_job_id, kind)
    SELECT file_id, id, 'osv' FROM job RETURNING id
)
INSERT INTO recognition.document_row (document_id, position, opening_debit) SELECT id, 1, 1.10 FROM document;
UPDATE recognition.stored_file SET current_recognition_job_id = (SELECT id FROM recognition.recognition_job);
"""


@pytest.fixture
def restored(stack, database):
    made = Database(stack.postgresql, fresh("restored"))
    made.create()
    yield made
    made.drop()


@pytest.fixture
def ledger(monkeypatch, capsys):
    def command(place, folders, *words, code=0):
        for name, value in (place.environment | folders.environment).items():
            monkeypatch.setenv(name, value)
        capsys.readouterr()
        assert run(["backup", *words]) == code
        return capsys.readouterr()

    return command


def fill(database, volumes):
    engine = connect(SecretStr(database.url))
    digest = book_receipt(volumes, engine, "2026-08-14/zoë.pdf")
    engine.dispose()
    with psycopg.connect(database.url) as owner:
        owner.execute(ROWS)
    return digest


def everything(database):
    engine = connect(SecretStr(database.url))
    with engine.connect() as connection:
        found = {
            name: [line for page in backup.read_table(connection, name) for line in page] for name in backup.forms()
        }
    engine.dispose()
    return found


def miscounted(database):
    engine = connect(SecretStr(database.url))
    with engine.connect() as connection:
        found = differing(connection)
    engine.dispose()
    return found


def rewritten(path, change):
    """Copy a backup with each member passed through `change`; the manifest counts and sums what came out."""
    with tarfile.open(FROZEN) as old:
        members = {each.name: old.extractfile(each).read() for each in old}
    manifest = json.loads(members.pop("manifest.json"))
    change(members, manifest)
    for part in manifest["tables"]:
        content = members.get(f"tables/{part['name']}.jsonl", b"")
        part |= {"rows": content.count(b"\n"), "sha256": hashlib.sha256(content).hexdigest()}
    members["manifest.json"] = json.dumps(manifest).encode()
    with tarfile.open(path, "w") as new:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            new.addfile(member, io.BytesIO(content))
    return str(path)


def test_what_was_exported_comes_back_to_the_last_digit_with_its_caches(database, restored, volumes, tmp_path, ledger):
    digest = fill(database, volumes)
    path = str(tmp_path / "ledger.tar")
    told = json.loads(ledger(database, volumes, "export", path, "--json").out)
    assert (told["artifacts"], told["missing_artifacts"], told["tables"]["budget.expenses"]) == (1, [], 2)

    elsewhere = Volumes(tmp_path / "other-receipts", tmp_path / "other-cache")
    elsewhere.create()
    ledger(restored, elsewhere, "import", path, "--dry-run")
    assert not any(everything(restored).values())
    assert json.loads(ledger(restored, elsewhere, "import", path, "--json").out)["caches"] == 1
    assert everything(restored) == everything(database)
    assert miscounted(restored) == []
    assert (
        find_cache(elsewhere.cache, digest, "2026-08-14/zoë.pdf").sha256
        == find_cache(volumes.cache, digest, "2026-08-14/zoë.pdf").sha256
    )
    with psycopg.connect(restored.url) as owner:
        assert owner.execute("SELECT status FROM ingest.receipt_processing_status").fetchall() == [("succeeded",)]
        query = (
            "INSERT INTO budget.expenses (merchant, date, currency, total) VALUES ('M', 'today', 'EUR', 1) RETURNING id"
        )
        assert owner.execute(query).fetchone() == (3,)
    assert "not empty" in ledger(restored, elsewhere, "import", path, code=10).err


def test_a_backup_of_an_earlier_version_comes_in_and_one_that_does_not_fit_or_is_not_whole_is_refused(
    database, volumes, tmp_path, ledger
):
    def with_a_new_column(members, manifest):
        part = next(each for each in manifest["tables"] if each["name"] == "budget.expenses")
        part["columns"].append("mood")

    def without_a_column(members, manifest):
        part = next(each for each in manifest["tables"] if each["name"] == "budget.dead_letters")
        part["columns"].remove("headers")

    def without_a_must(members, manifest):
        part = next(each for each in manifest["tables"] if each["name"] == "budget.dead_letters")
        part["columns"].remove("code")

    def without_an_artifact(members, manifest):
        members.pop(next(name for name in members if name.startswith("artifacts/")))

    cut = tmp_path / "cut.tar"
    cut.write_bytes(FROZEN.read_bytes()[:20_480])
    assert "cut short" in ledger(database, volumes, "import", str(cut), code=2).err
    for change, code, words in (
        (with_a_new_column, 9, "no place for budget.expenses.mood"),
        (without_a_must, 9, "does not tell code of budget.dead_letters"),
        (without_an_artifact, 2, "0 of 1 artifacts"),
    ):
        path = rewritten(tmp_path / f"{change.__name__}.tar", change)
        assert words in ledger(database, volumes, "import", path, code=code).err
        assert not any(everything(database).values())

    ledger(database, volumes, "import", rewritten(tmp_path / "earlier.tar", without_a_column))
    assert miscounted(database) == []
    found = everything(database)
    assert json.loads(found["budget.dead_letters"][0])["headers"] == {}
    assert json.loads(found["budget.expenses"][1])["total"] == 123456789012.3456
    assert {name for name, rows in found.items() if not rows} == {
        "budget.receipt_cache_requests",
        "budget.receipt_reprocess_requests",
        "recognition.audit_event",
    }
