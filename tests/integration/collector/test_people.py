"""What people say stands over every reading, in whatever order readings come."""

from datetime import timedelta

import pytest

from ledger_tasks.collector.correct import correct
from ledger_tasks.collector.outcome import Applied, Rejected, Superseded
from ledger_tasks.storage.corrections import Correction
from tests.support.desk import NOW
from tests.support.events import CAFE, completed, failed, receipt, source

LATER = NOW + timedelta(hours=1)
LATTE = {"description": "Latte", "quantity": "1", "unit_price": "3.00", "total": "3.00", "code": None}
TEA = LATTE | {"description": "Tea", "total": "2.00"}
LINES = "SELECT description, total::text FROM budget.expense_items ORDER BY position"


def test_a_corrected_item_is_found_by_its_content_in_the_next_reading(desk):
    desk.collect(completed("a", "r1", generation=1, said=receipt(items=[TEA, LATTE], **CAFE)))
    ((items,),) = desk.rows("SELECT items FROM budget.receipt_evidence")
    correct(desk.owner, source("a"), [Correction("total", "3.50", items[1]["key"])], LATER)
    assert desk.rows(LINES) == [("Tea", "2.0000"), ("Latte", "3.5000")]
    moved = receipt(items=[LATTE, TEA, TEA], **CAFE)
    desk.collect(completed("a", "r2", generation=2, mode="reprocess", request="q", said=moved))
    assert desk.rows(LINES) == [("Latte", "3.5000"), ("Tea", "2.0000"), ("Tea", "2.0000")]


def test_a_late_smaller_generation_changes_no_correction(desk):
    desk.collect(completed("a", "r2", generation=2))
    correct(desk.owner, source("a"), [Correction("merchant", "Café Zoë GmbH")], LATER)
    before = desk.content("budget.ocr_result_events", "budget.receipt_ocr_runs", "budget.receipt_ocr_artifacts")
    assert desk.collect(completed("a", "r1", generation=1)) == [Superseded()]
    assert desk.content(*before.keys() ^ desk.content().keys()) == before


@pytest.mark.parametrize(("choice", "bookings"), [("new", 3), ("2", 2)])
def test_a_person_settles_an_ambiguous_booking(desk, choice, bookings):
    for day in ("2026-08-13", "2026-08-15"):
        desk.run(
            "INSERT INTO budget.expenses (merchant, date, currency, total) VALUES ('Café Zoë', :day, 'EUR', 1007.5)",
            day=day,
        )
    desk.collect(completed("a", "r1", generation=1))
    assert desk.status("a")[2] == ["EXPENSE_AMBIGUOUS"]
    assert correct(desk.owner, source("a"), [Correction("booking", choice)], LATER).status == "succeeded"
    owned = desk.rows("SELECT id FROM budget.expenses WHERE source_sha256 IS NOT NULL")
    assert owned == [(3 if choice == "new" else 2,)]
    assert desk.rows("SELECT count(*) FROM budget.expenses") == [(bookings,)]
    desk.collect(completed("a", "r2", generation=2, mode="reprocess", request="q"))
    assert desk.status("a") == ("succeeded", None, []), "asked once"


def test_a_corrected_total_finds_the_booking_that_fits_it(desk):
    desk.run(
        "INSERT INTO budget.expenses (merchant, date, currency, total, category) "
        "VALUES ('Café Zoë', '2026-08-14', 'EUR', 9.50, 'food')"
    )
    unsure = receipt(("TOTAL_AMBIGUOUS",), **CAFE | {"total": "950.00"})
    desk.collect(completed("a", "r1", generation=1, said=unsure))
    correct(desk.owner, source("a"), [Correction("total", "9.50")], LATER)
    assert desk.rows("SELECT source_sha256, total::text, category FROM budget.expenses") == [
        (source("a"), "9.5000", "food")
    ]


@pytest.mark.parametrize(("mode", "request_name"), [("reprocess", None), ("normal", "q")])
def test_a_failure_without_the_request_of_its_kind_is_refused_and_harms_nothing(desk, mode, request_name):
    desk.collect(completed("a", "r1", generation=1))
    assert desk.collect(failed("a", "r2", mode=mode, request=request_name)) == [
        Rejected("CheckViolation ck_ocr_result_events_failure_request")
    ]
    assert desk.status("a") == ("succeeded", None, [])
    assert desk.collect(failed("b", "r3")) == [Applied()]
