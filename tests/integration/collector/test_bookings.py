"""A receipt owns one booking: its own, one that was there before, or none until a person decides."""

from datetime import timedelta

import pytest

from ledger_tasks.collector.outcome import Applied
from tests.support.desk import NOW
from tests.support.events import CAFE, completed, receipt, source

BOOKED = "SELECT source_sha256, merchant, date::text, total::text, category FROM budget.expenses ORDER BY id"
BANK = (
    "INSERT INTO budget.expenses (merchant, date, currency, total, category) "
    "VALUES ('CAFÉ ZOË.', :day, 'EUR', 1007.5, :category)"
)


def test_a_booking_of_the_same_merchant_total_and_week_is_taken_over_with_its_category(desk):
    desk.run(BANK, day="2026-08-17", category="food")
    desk.collect(completed("a", "r1", generation=1))
    assert desk.rows(BOOKED) == [(source("a"), "Café Zoë", "2026-08-14", "1007.5000", "food")]


@pytest.mark.parametrize("day", ["2026-08-10", "2026-08-18"])
def test_a_booking_four_days_away_is_another_one(desk, day):
    desk.run(BANK, day=day, category="food")
    desk.collect(completed("a", "r1", generation=1))
    assert len(desk.rows(BOOKED)) == 2


def test_two_bookings_that_fit_go_to_review_and_neither_is_taken(desk):
    desk.run(BANK, day="2026-08-13", category="food")
    desk.run(BANK, day="2026-08-15", category="travel")
    before = desk.rows(BOOKED)
    assert desk.collect(completed("a", "r1", generation=1)) == [Applied()]
    assert desk.status("a") == ("review_required", None, ["EXPENSE_AMBIGUOUS"])
    assert desk.rows(BOOKED) == before


def test_a_booking_that_another_receipt_owns_is_not_taken(desk):
    desk.run(BANK, day="2026-08-15", category="food")
    desk.collect(completed("a", "r1", generation=1))
    desk.collect(completed("b", "r2", generation=1))
    assert [row[0] for row in desk.rows(BOOKED)] == [source("a")]


@pytest.mark.case("C020")
def test_reprocessing_keeps_the_booking_and_exports_it_again_only_when_it_changed(desk):
    desk.collect(completed("a", "r1", generation=1))
    desk.run("UPDATE budget.expenses SET exported_at = now(), category = 'food'")
    exported = "SELECT id, exported_at IS NOT NULL, category FROM budget.expenses"
    ((number, *_),) = desk.rows(exported)
    desk.collect(completed("a", "r2", generation=2, mode="reprocess", request="q2"))
    assert desk.rows(exported) == [(number, True, "food")]
    said = receipt(**CAFE | {"total": "7.00"})
    desk.collect(completed("a", "r3", generation=3, mode="reprocess", request="q3", said=said))
    assert desk.rows(exported) == [(number, False, "food")]


@pytest.mark.case("C021")
def test_a_booking_that_was_deleted_comes_back_with_the_next_reprocess(desk):
    desk.collect(completed("a", "r1", generation=1))
    desk.run("DELETE FROM budget.expenses")
    desk.collect(completed("a", "r2", generation=2, mode="reprocess", request="q"))
    assert desk.rows("SELECT source_sha256 FROM budget.expenses") == [(source("a"),)]


def test_a_booking_stays_while_a_worse_reading_waits_for_review(desk):
    desk.collect(completed("a", "r1", generation=1))
    worse = receipt(reasons=("TOTAL_AMBIGUOUS",), **CAFE | {"total": "1.00"})
    desk.collect(completed("a", "r2", generation=2, mode="reprocess", request="q", said=worse))
    assert desk.status("a") == ("review_required", None, ["TOTAL_AMBIGUOUS"])
    assert [row[3] for row in desk.rows(BOOKED)] == ["1007.5000"]


def test_a_second_receipt_like_the_first_is_kept_for_review_not_dropped(desk):
    desk.collect(completed("a", "r1", generation=1), completed("b", "r2", generation=1))
    assert desk.status("a") == ("succeeded", None, [])
    assert desk.status("b") == ("review_required", None, ["POSSIBLE_DUPLICATE"])
    desk.collect(completed("a", "r3", generation=2, mode="reprocess", request="q"), at=NOW + timedelta(hours=1))
    assert desk.status("a") == ("succeeded", None, []), "the elder of two is not suspected"


def test_receipts_alike_that_arrive_in_one_batch_see_each_other(desk):
    names = [f"copy{number}" for number in range(5)]
    desk.collect(*(completed(name, f"run {name}", generation=1) for name in names))
    assert sorted(desk.status(name)[0] for name in names) == ["review_required"] * 4 + ["succeeded"]


@pytest.mark.parametrize(
    ("same", "suspected"),
    [({"receipt_number": "A-4711"}, True), ({"transaction_time": "10:15"}, True), ({}, False)],
    ids=["number", "time", "neither"],
)
def test_a_second_photograph_whose_merchant_is_spelt_otherwise_is_suspected(desk, same, suspected):
    first = CAFE | {"receipt_number": "A-4711", "transaction_time": "10:15:00"}
    second = CAFE | {"merchant": "Cate Zoe", "receipt_number": "B-1", "transaction_time": "18:30"} | same
    desk.collect(completed("a", "r1", generation=1, said=receipt(**first)))
    desk.collect(completed("b", "r2", generation=1, said=receipt(**second)))
    assert desk.status("b")[2] == (["POSSIBLE_DUPLICATE"] if suspected else [])
    assert desk.status("a")[0] == "succeeded"


PAGE = "5a" * 64
SAME_PAGE = PAGE[:120] + "00000000"
OTHER_PAGE = "a5" * 64
LIKE = "SELECT possible_duplicate_of FROM budget.receipt_evidence WHERE source_sha256 = :source"


@pytest.mark.case("C019")
@pytest.mark.parametrize(("page", "suspected"), [(SAME_PAGE, True), (OTHER_PAGE, False), (None, False)])
def test_a_second_photograph_is_known_by_its_picture_when_only_that_is_alike(desk, page, suspected):
    desk.collect(completed("a", "r1", generation=1, page=PAGE))
    desk.collect(completed("b", "r2", generation=1, said=receipt(**CAFE | {"merchant": "Cate Zoe"}), page=page))
    assert desk.status("b")[2] == (["POSSIBLE_DUPLICATE"] if suspected else [])
    assert desk.rows(LIKE, source=source("b")) == [([source("a")] if suspected else [],)]
    assert desk.status("a") == ("succeeded", None, [])


@pytest.mark.case("C019")
def test_a_photograph_whose_date_cannot_be_read_is_known_by_its_picture(desk):
    desk.collect(completed("a", "r1", generation=1, page=PAGE))
    dateless = {name: value for name, value in CAFE.items() if name != "transaction_date"}
    unread = receipt(reasons=("DATE_MISSING",), **dateless)
    desk.collect(
        completed("b", "r2", generation=1, said=unread, page=SAME_PAGE),
        completed("c", "r3", generation=1, said=unread, page=OTHER_PAGE),
    )
    assert desk.status("b")[2] == ["DATE_MISSING", "POSSIBLE_DUPLICATE"]
    assert desk.status("c")[2] == ["DATE_MISSING"]


@pytest.mark.case("C019")
def test_another_receipt_of_the_same_shop_is_no_copy_however_alike_the_pictures_are(desk):
    desk.collect(completed("a", "r1", generation=1, page=PAGE))
    desk.collect(completed("b", "r2", generation=1, said=receipt(**CAFE | {"total": "7.00"}), page=PAGE))
    desk.collect(
        completed("c", "r3", generation=1, said=receipt(**CAFE | {"transaction_date": "2026-08-13"}), page=PAGE)
    )
    assert [desk.status(name)[0] for name in "abc"] == ["succeeded"] * 3
