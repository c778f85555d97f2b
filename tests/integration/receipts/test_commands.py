"""`ledger receipts list|show|review|correct` and `ledger database`: what people and programs read of the rows."""

import json
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from pydantic import SecretStr

from ledger_tasks.cli import run
from ledger_tasks.collector.apply import collect
from ledger_tasks.storage.database import connect
from tests.support.events import CAFE, completed, failed, passed, receipt, source, uuid

NOW = datetime(2026, 8, 15, tzinfo=UTC)
LATTE = {"description": "Latte", "quantity": "2", "unit_price": "3.00", "total": "6.00", "code": None}


class Desk:
    """A database with four receipts: done, in review, failed, and one that is only known."""

    def __init__(self, database, capsys):
        self._capsys = capsys
        self.url, engine = database.url, connect(SecretStr(database.url))
        said = receipt(items=[LATTE], **CAFE)
        unsure = receipt(reasons=("DATE_AMBIGUOUS",), **CAFE | {"total": "8.00", "merchant": "100% Bio_Markt"})
        for minutes, events in enumerate(
            [
                [completed("done", "r1", generation=1, said=said), passed("done", "r1")],
                [completed("unsure", "r2", generation=1, said=unsure)],
                [failed("broken", "r3", code="IMAGE_CORRUPT")],
                [passed("known", "r4")],
            ]
        ):
            collect(events, engine, NOW + timedelta(minutes=minutes))
        engine.dispose()

    def run(self, *words):
        self._capsys.readouterr()
        code = run(words)
        told = self._capsys.readouterr()
        return code, told.out, told.err

    def json(self, *words):
        code, out, _ = self.run(*words, "--json")
        assert code == 0
        assert out.count("\n") == 1
        return json.loads(out)

    def names(self, *words):
        found = self.json("receipts", "list", *words)["receipts"]
        return [each["source_reference"].removeprefix("2026-08-14/").removesuffix(".pdf") for each in found]


@pytest.fixture
def desk(database, capsys, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", database.url)
    return Desk(database, capsys)


def test_the_list_has_exactly_its_fields_and_says_why(desk):
    found = desk.json("receipts", "list")
    assert found.keys() == {"receipts"}
    known, broken, unsure, done = found["receipts"]
    assert done == {
        "source_sha256": source("done"),
        "source_reference": "2026-08-14/done.pdf",
        "status": "succeeded",
        "merchant": "Café Zoë",
        "date": "2026-08-14",
        "currency": "EUR",
        "total": "1007.50",
        "reasons": [],
        "error_code": None,
    }
    assert (unsure["status"], unsure["reasons"]) == ("review_required", ["DATE_AMBIGUOUS"])
    assert (broken["status"], broken["error_code"], broken["total"]) == ("failed", "IMAGE_CORRUPT", None)
    assert known["status"] == "new"


@pytest.mark.case("C052")
def test_the_list_is_filtered_by_status_words_and_number(desk):
    assert desk.names("--status", "failed") == ["broken"]
    assert desk.names("--status", "new") == ["known"]
    assert desk.names("--status", "queued") == []
    assert desk.names("--search", "café") == ["done"]
    assert desk.names("--search", "1007") == ["done"], "also text that is no field of its own"
    assert desk.names("--search", "% bio_") == ["unsure"], "a per cent sign is one"
    assert desk.names("--limit", "2") == ["known", "broken"]
    code, out, told = desk.run("receipts", "list", "--limit", "2")
    assert (code, "there are more" in told, "broken.pdf" in out) == (0, True, True)
    assert desk.run("receipts", "list", "--status", "nowhere")[0] == 2


@pytest.mark.parametrize("words", ["2026-08-14/done.pdf", source("done"), source("done")[:8]])
def test_a_receipt_is_shown_with_all_its_evidence_however_it_is_named(desk, words):
    shown = desk.json("receipts", "show", words)
    assert shown["fields"]["total"]["raw"] == "1007.50"
    assert [item["description"] for item in shown["items"]] == ["Latte"]
    assert [(one["pass_id"], one["engine"], one["selected"]) for one in shown["passes"]] == [(1, "rapidocr", True)]
    assert [(one["run_uuid"], one["outcome"]) for one in shown["attempts"]] == [(uuid("r1"), "applied")]
    assert shown["paths"] == ["2026-08-14/done.pdf"]
    assert shown["expense"]["merchant"] == "Café Zoë"


def test_a_failed_receipt_shows_its_reason_and_the_next_command(desk):
    shown = desk.json("receipts", "show", "2026-08-14/broken.pdf")
    assert shown["attempts"][0]["error_code"] == "IMAGE_CORRUPT"
    assert shown["fields"] == {}
    code, out, told = desk.run("receipts", "show", "2026-08-14/broken.pdf")
    assert (code, "IMAGE_CORRUPT" in out) == (0, True)
    assert f"ledger dead show {uuid('r3')}" in told


@pytest.mark.parametrize(
    ("words", "code"), [("../etc", 2), ("/etc/passwd", 2), ("a\\b", 2), ("nowhere.pdf", 3), ("0123456789abcdef", 3)]
)
def test_a_bad_path_is_a_usage_error_and_an_unknown_receipt_is_not_found(desk, words, code):
    assert desk.run("receipts", "show", words)[0] == code


def test_a_correction_is_applied_and_shown_and_review_forgets_the_receipt(desk):
    (waiting,) = desk.json("receipts", "review")["receipts"]
    assert waiting["source_reference"] == "2026-08-14/unsure.pdf"
    stands = desk.json("receipts", "correct", source("unsure")[:10], "transaction_date=2026-08-13")
    assert stands == {"source_sha256": source("unsure"), "status": "succeeded", "reasons": []}
    assert desk.json("receipts", "review") == {"receipts": []}
    assert desk.json("receipts", "show", source("unsure"))["corrections"][0]["value"] == "2026-08-13"


def test_a_correction_can_be_tried_without_being_kept(desk):
    code, _, told = desk.run("receipts", "correct", source("unsure")[:10], "transaction_date=2026-08-13", "--dry-run")
    assert (code, told) == (0, "would be succeeded: booked\n")
    assert desk.json("receipts", "show", source("unsure"))["corrections"] == []


@pytest.mark.case("C019")
def test_a_receipt_is_set_aside_as_a_copy_and_explained_so_and_that_is_taken_back(desk, volumes, monkeypatch):
    for name, value in volumes.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("USER", "anna")
    unsure, done = source("unsure"), source("done")
    _, _, told = desk.run("receipts", "correct", unsure[:10], f"booking=copy:{done[:10]}")
    assert told == f"succeeded: a copy of {done[:12]}, not booked\n"
    (kept,) = desk.json("receipts", "show", unsure)["corrections"]
    assert (kept["value"], kept["corrected_by"]) == (f"copy:{done}", "cli:anna")
    explained = desk.json("receipts", "explain", unsure)
    assert explained["state"] == "done"
    assert f"a copy of {done[:12]}: not booked" in explained["reason"]
    assert desk.json("receipts", "correct", unsure, "booking=")["reasons"] == ["DATE_AMBIGUOUS"]
    assert desk.run("receipts", "correct", done, f"booking=copy:{unsure}")[0] == 10, "it is booked"


def test_an_item_is_corrected_by_its_number(desk):
    desk.json("receipts", "correct", source("done"), "item.1.total=5.50")
    assert desk.json("receipts", "show", source("done"))["items"][0]["total"] == "5.50"
    with psycopg.connect(desk.url) as connection:
        assert connection.execute("SELECT total::text FROM budget.expense_items").fetchall() == [("5.5000",)]


@pytest.mark.parametrize(
    "said", ["total", "total=much", "item.2.total=1", "item.1.colour=red", "colour=red", "item.0.total=1"]
)
def test_what_cannot_be_said_of_a_receipt_is_a_usage_error(desk, said):
    assert desk.run("receipts", "correct", source("done"), said)[0] == 2
    assert desk.run("receipts", "correct", source("done"))[0] == 2


def test_ingest_is_rebuilt_and_lists_the_same(desk):
    before = desk.json("receipts", "list")
    assert desk.json("database", "rebuild-ingest") == {
        "receipts": 4,
        "receipt_paths": 4,
        "receipt_processing_status": 3,
    }
    assert desk.json("receipts", "list") == before
    upgraded = desk.json("database", "upgrade")
    assert upgraded["before"] == upgraded["after"]


def test_without_a_database_every_command_ends_with_7_and_says_what_to_do(desk, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://somebody:secret@127.0.0.1:1/ledger")
    for words in (["receipts", "list"], ["receipts", "show", "a.pdf"], ["receipts", "review"], ["database", "upgrade"]):
        code, out, told = desk.run(*words)
        assert (code, out) == (7, "")
        assert "ledger doctor" in told
        assert "secret" not in told


@pytest.mark.case("C078")
def test_a_letter_that_the_broker_made_is_the_reason_of_its_receipt(desk):
    with psycopg.connect(desk.url) as connection:
        connection.execute(
            "INSERT INTO budget.dead_letters (id, family, source_sha256, code, dead_at) "
            "VALUES (gen_random_uuid(), 'receipts.v1', %s, 'DELIVERIES_EXHAUSTED', now())",
            [source("known")],
        )
    (known,) = (each for each in desk.json("receipts", "list")["receipts"] if "known" in each["source_reference"])
    assert (known["status"], known["error_code"]) == ("failed", "DELIVERIES_EXHAUSTED")
    assert desk.names("--status", "failed") == ["known", "broken"]
    assert desk.names("--status", "new") == []
