"""Each kind of difference between files and rows is found, under its own code and with a command; else nothing is."""

import json

import psycopg
import pytest
from pydantic import SecretStr

from ledger_tasks.cli import run
from ledger_tasks.cli.commands import COMMANDS
from ledger_tasks.collector.correct import correct
from ledger_tasks.files.artifacts import put_back
from ledger_tasks.files.cache import artifact_path, cache_path, find_cache
from ledger_tasks.files.markers import Marker, marker_path, write_marker
from ledger_tasks.storage.corrections import BOOKING, COPY, Correction
from ledger_tasks.storage.counts import fold
from ledger_tasks.storage.database import connect
from ledger_tasks.verification.finding import KINDS
from tests.support.events import uuid
from tests.support.ledger import AT, book_receipt, put_receipt, read_receipt


@pytest.fixture
def verify(database, volumes, monkeypatch, capsys):
    for name, value in (database.environment | volumes.environment).items():
        monkeypatch.setenv(name, value)

    def command():
        capsys.readouterr()
        code = run(["verify", "--json"])
        told = json.loads(capsys.readouterr().out)
        assert code == (5 if told["wrong"] else 0)
        return told["findings"]

    return command


@pytest.fixture
def engine(database):
    made = connect(SecretStr(database.url))
    yield made
    made.dispose()


@pytest.fixture
def owner(database):
    with psycopg.connect(database.url, autocommit=True) as connection:
        yield connection


def alter(volumes, owner, reference, digest):
    """Change the content of a file so that its stat stays the one that the last scan saw."""
    path = volumes.root / reference
    path.write_bytes(b"X" * path.stat().st_size)
    stat = path.stat()
    owner.execute(
        "INSERT INTO ingest.source_index VALUES ('source', %s, %s, %s, %s, %s, %s, %s)",
        [reference, stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, digest],
    )


def test_what_fits_together_gives_no_finding(verify, volumes, engine):
    booked = book_receipt(volumes, engine, "a/fine.pdf", total="1.00")
    copy = book_receipt(volumes, engine, "a/copy.pdf", total="1.00")
    correct(engine, copy, [Correction(BOOKING, f"{COPY}{booked}")], AT)
    assert verify() == []


def test_each_difference_between_files_caches_artifacts_markers_and_rows_is_found(verify, volumes, engine, owner):
    cache = volumes.cache
    names = ["altered", "gone", "damaged", "foreign", "missing", "untold", "lost-artifact", "bad-artifact"]
    digest = {
        name: book_receipt(volumes, engine, f"{name}.pdf", total=f"{number}.00") for number, name in enumerate(names, 1)
    }
    content = {name: find_cache(cache, digest[name], f"{name}.pdf").sha256 for name in names}
    alter(volumes, owner, "altered.pdf", digest["altered"])
    (volumes.root / "gone.pdf").unlink()
    for name in ("damaged", "foreign", "missing", "lost-artifact", "bad-artifact"):
        cache_path(cache, f"{name}.pdf").unlink()
    cache_path(cache, "damaged.pdf").write_text("{")
    cache_path(cache, "foreign.pdf").write_bytes(cache_path(cache, "gone.pdf").read_bytes())
    read_receipt(volumes, "untold.pdf", generation=2)
    for name in ("lost-artifact", "bad-artifact"):
        assert put_back(cache, digest[name], f"{name}.pdf", content[name], lock_seconds=1)
        artifact_path(cache, content[name]).unlink()
    artifact_path(cache, content["bad-artifact"]).write_text("{}")
    put_receipt(volumes, "unknown.pdf")
    write_marker(
        cache,
        Marker(
            source_sha256=digest["untold"],
            request_id=uuid("untold"),
            cache_sha256=content["untold"],
            confirmed_publication="p",
        ),
    )
    marker_path(cache, digest["untold"], uuid("damaged")).write_text("{")

    found = {(each["code"], each["source_reference"]) for each in verify()}
    assert found == {
        ("SOURCE_ALTERED", "altered.pdf"),
        ("SOURCE_GONE", "altered.pdf"),
        ("CACHE_FOREIGN", "altered.pdf"),
        ("SOURCE_GONE", "gone.pdf"),
        ("CACHE_ORPHAN", "gone.pdf"),
        ("CACHE_DAMAGED", "damaged.pdf"),
        ("CACHE_FOREIGN", "foreign.pdf"),
        ("CACHE_MISSING", "foreign.pdf"),
        ("CACHE_MISSING", "missing.pdf"),
        ("CACHE_UNTOLD", "untold.pdf"),
        ("ARTIFACT_MISSING", "lost-artifact.pdf"),
        ("ARTIFACT_DAMAGED", "bad-artifact.pdf"),
        ("SOURCE_UNKNOWN", "unknown.pdf"),
        ("MARKER_UNTOLD", None),
        ("MARKER_DAMAGED", None),
    }


def test_each_contradiction_between_rows_is_found(verify, volumes, engine, owner):
    names = ["reading", "run", "booking", "other", "status", "done"]
    for number, name in enumerate(names, 1):
        book_receipt(volumes, engine, f"{name}.pdf", total=f"{number}.00")
    of = "(SELECT source_sha256 FROM ingest.receipts WHERE source_reference = '{}.pdf')"
    for statement in (
        "DELETE FROM budget.receipt_evidence WHERE source_sha256 IN ({reading}, {done})",
        "DELETE FROM budget.receipt_ocr_runs WHERE source_sha256 IN ({run}, {done})",
        "DELETE FROM budget.expenses WHERE source_sha256 IN ({booking}, {done})",
        "DELETE FROM ingest.receipt_processing_status WHERE source_sha256 IN ({status}, {reading})",
        "UPDATE budget.expenses SET total = 99 WHERE source_sha256 = {other}",
    ):
        owner.execute(statement.format(**{name: of.format(name) for name in names}))
    assert [(each["code"], each["source_reference"]) for each in verify()] == [
        ("CACHE_UNTOLD", "run.pdf"),
        ("BOOKING_DIFFERS", "other.pdf"),
        ("BOOKING_LOST", "booking.pdf"),
        ("BOOKING_WITHOUT_READING", "reading.pdf"),
        ("READING_LOST", "reading.pdf"),
        ("RUN_LOST", "run.pdf"),
        ("STATUS_DIFFERS", "status.pdf"),
        ("STATUS_WITHOUT_READING", "done.pdf"),
    ]


def test_a_sum_that_is_not_the_number_of_rows_is_found_and_rebuilding_ingest_repairs_it(verify, volumes, engine, owner):
    for name in ("a", "b"):
        book_receipt(volumes, engine, f"{name}.pdf", total="1.00" if name == "a" else "2.00")
    for statement in (
        "ALTER TABLE budget.expenses DISABLE TRIGGER USER",
        "ALTER TABLE ingest.receipt_processing_status DISABLE TRIGGER USER",
        "UPDATE budget.expenses SET exported_at = now() WHERE total = 1",
        "ALTER TABLE budget.expenses ENABLE TRIGGER USER",
    ):
        owner.execute(statement)
    assert [(each["code"], each["detail"].partition(": ")[2]) for each in verify()] == [
        ("COUNTS_DIFFER", "bookings exported: 0 instead of 1"),
        ("COUNTS_DIFFER", "bookings not exported: 2 instead of 1"),
    ]
    fold(engine)
    owner.execute("UPDATE ingest.receipt_processing_status SET updated_at = now(), status = 'review_required'")
    assert ("COUNTS_DIFFER", "receipts succeeded: 2 instead of 0") in [
        (each["code"], each["detail"].partition(": ")[2]) for each in verify()
    ]
    assert run(["database", "rebuild-ingest"]) == 0
    assert verify() == []


def test_every_kind_of_finding_names_a_command_that_exists():
    known = {" ".join(("ledger", *command.words)) for command in COMMANDS}
    for code, kind in KINDS.items():
        assert kind.remedy, code
        assert any(kind.next == command or kind.next.startswith(f"{command} ") for command in known), code
