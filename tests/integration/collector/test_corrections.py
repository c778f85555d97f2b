"""What a person says about a receipt is kept, applied at once under the pages' own role, and survives reprocessing."""

from datetime import UTC, datetime

import pytest
from pydantic import SecretStr
from sqlalchemy import Engine

from ledger_tasks.collector.checking import ACCEPT
from ledger_tasks.collector.correct import correct
from ledger_tasks.errors import ConflictError, NotFoundError, UsageError
from ledger_tasks.storage.corrections import Correction
from ledger_tasks.storage.database import connect
from tests.support.events import CAFE, completed, receipt, source
from tests.support.servers import Database

LATER = datetime(2026, 8, 16, 8, 0, tzinfo=UTC)
UNSURE = {name: value for name, value in CAFE.items() if name != "total"}


@pytest.fixture
def pages(database: Database) -> Engine:
    return connect(SecretStr(database.url_of("ledger_core")))


def test_a_missing_total_that_a_person_gives_books_the_receipt_and_survives_a_reprocess(desk, pages) -> None:
    unsure = receipt(("TOTAL_MISSING",), **UNSURE)
    desk.collect(completed("cafe", "run 1", generation=1, said=unsure))

    after = correct(pages, source("cafe"), [Correction("total", "1 007,50")], LATER)

    assert (after.status, after.reasons) == ("succeeded", ())
    assert desk.rows("SELECT merchant, total::text FROM budget.expenses") == [("Café Zoë", "1007.5000")]
    desk.collect(completed("cafe", "run 2", generation=2, mode="reprocess", request="again", said=unsure))
    assert desk.rows("SELECT total::text, extraction_status FROM budget.receipt_evidence") == [
        ("1007.5000", "complete")
    ]


@pytest.mark.case("C019")
def test_a_suspected_duplicate_that_a_person_accepts_is_booked(desk, pages) -> None:
    desk.collect(completed("cafe", "run 1", generation=1))
    desk.collect(completed("cafe copy", "run 2", generation=2))
    assert desk.rows("SELECT count(*) FROM budget.expenses") == [(1,)]

    after = correct(pages, source("cafe copy"), [ACCEPT], LATER)

    assert after.status == "succeeded"
    assert desk.rows("SELECT count(*) FROM budget.expenses") == [(2,)]


def copy_of(name: str) -> Correction:
    return Correction("booking", f"copy:{source(name)}")


@pytest.mark.case("C019")
def test_a_copy_is_set_aside_stays_so_after_a_reprocess_makes_nobody_suspicious_and_is_taken_back(desk, pages) -> None:
    desk.collect(completed("cafe", "run 1", generation=1))
    desk.collect(completed("cafe copy", "run 2", generation=1))

    after = correct(pages, source("cafe copy"), [copy_of("cafe")], LATER, "anna")

    assert (after.status, after.reasons, after.copy_of) == ("succeeded", (), source("cafe"))
    desk.collect(completed("cafe copy", "run 3", generation=2, mode="reprocess", request="again"))
    assert desk.status("cafe copy") == ("succeeded", None, [])
    assert desk.rows("SELECT source_sha256 FROM budget.expenses") == [(source("cafe"),)]
    assert desk.rows("SELECT value, corrected_by FROM budget.receipt_corrections") == [
        (f"copy:{source('cafe')}", "anna")
    ]
    assert desk.rows("SELECT count(*) FROM budget.receipt_evidence") == [(2,)], "nothing is deleted"

    correct(pages, source("cafe copy"), [Correction("booking", None)], LATER, "bob")
    assert desk.status("cafe copy") == ("review_required", None, ["POSSIBLE_DUPLICATE"])
    assert desk.rows("SELECT value, corrected_by FROM budget.receipt_corrections") == [(None, "bob")]


def test_a_copy_makes_its_original_not_suspicious_when_that_is_booked_later(desk, pages) -> None:
    desk.collect(completed("cafe", "run 1", generation=1, said=receipt(("TOTAL_AMBIGUOUS",), **CAFE)))
    desk.collect(completed("cafe copy", "run 2", generation=1))
    assert desk.status("cafe copy")[2] == ["POSSIBLE_DUPLICATE"]
    correct(pages, source("cafe copy"), [copy_of("cafe")], LATER)
    after = correct(pages, source("cafe"), [Correction("total", CAFE["total"])], LATER)
    assert (after.status, after.reasons) == ("succeeded", ())


def test_of_receipts_alike_one_always_stays_for_itself(desk, pages) -> None:
    for number, name in enumerate(("a", "b", "c")):
        desk.collect(completed(name, f"run {number}", generation=1))
    correct(pages, source("b"), [copy_of("a")], LATER)
    for name, original, error, words in (
        ("c", "b", ConflictError, "a copy itself"),
        ("a", "c", ConflictError, "copies of this one"),
        ("c", "c", UsageError, "of itself"),
        ("c", "nobody", NotFoundError, "nothing has been read"),
    ):
        with pytest.raises(error, match=words):
            correct(pages, source(name), [copy_of(original)], LATER)
    correct(pages, source("c"), [ACCEPT], LATER)
    with pytest.raises(ConflictError, match="it is booked as expense"):
        correct(pages, source("c"), [copy_of("a")], LATER)


def test_a_dry_run_says_what_would_be_and_changes_nothing(desk, pages) -> None:
    desk.collect(completed("cafe", "run 1", generation=1, said=receipt(("TOTAL_MISSING",), **UNSURE)))
    before = desk.content()
    after = correct(pages, source("cafe"), [Correction("total", "9.50")], LATER, dry_run=True)
    assert (after.status, after.reasons) == ("succeeded", ())
    assert desk.content() == before


def test_a_value_that_its_field_cannot_hold_is_refused_and_changes_nothing(desk, pages) -> None:
    desk.collect(completed("cafe", "run 1", generation=1))
    before = desk.rows("SELECT * FROM budget.receipt_evidence")

    with pytest.raises(UsageError):
        correct(pages, source("cafe"), [Correction("total", "a lot")], LATER)

    assert desk.rows("SELECT * FROM budget.receipt_evidence") == before
    assert desk.rows("SELECT count(*) FROM budget.receipt_corrections") == [(0,)]


def test_a_receipt_that_was_never_read_is_refused(desk, pages) -> None:
    desk.collect(completed("cafe", "run 1", generation=1))
    with pytest.raises(NotFoundError):
        correct(pages, source("nobody's"), [Correction("total", "1")], LATER)


def test_a_receipt_without_a_total_cannot_be_accepted(desk, pages) -> None:
    desk.collect(completed("cafe", "run 1", generation=1, said=receipt(("TOTAL_MISSING",), **UNSURE)))
    with pytest.raises(UsageError, match="cannot be accepted"):
        correct(pages, source("cafe"), [ACCEPT], LATER)
