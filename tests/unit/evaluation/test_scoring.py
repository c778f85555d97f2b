"""Read receipts are judged by value, and to the letter as the competition does."""

import pytest

from ledger_tasks.evaluation.measures import Judged, half_of, measure
from ledger_tasks.evaluation.scoring import judge
from tests.support.text_slips import read

SLIP = """
KEDAI MELATI SDN BHD
Lot 6, Jalan Batai
12/03/2018 20:29
Pineapple  23.70
TOTAL RM  23.70
CASH  50.00
CHANGE  26.30
"""
TRUTH = {"company": "Kedai Melati  SDN. BHD", "address": "LOT 6, JALAN BATAI", "date": "12/03/2018", "total": "RM23.70"}


def judged(slip, truth, sha="0" * 64):
    receipt = read(slip)
    return Judged("001", sha, receipt, "", tuple(judge(receipt, truth)), 0.5, 1)


def test_loose_means_letters_and_digits_and_strict_means_case_and_spaces_only():
    found = {verdict.field: (verdict.loose, verdict.strict) for verdict in judge(read(SLIP), TRUTH)}
    assert found == {
        "company": (True, False),
        "address": (True, True),
        "date": (True, True),
        "total": (True, False),
    }


@pytest.mark.parametrize("total", ["23.70", "RM 23.70", "$23.70"])
def test_a_total_is_a_number(total):
    assert all(verdict.loose for verdict in judge(read(SLIP), {"total": total}))


def test_a_field_without_truth_is_not_judged():
    assert [verdict.field for verdict in judge(read(SLIP), {"total": "23.70", "address": ""})] == ["total"]


def test_the_object_has_exactly_the_published_keys():
    assert set(measure([judged(SLIP, TRUTH)], 1.0)) == {
        *("receipts", "failed", "total", "date", "date_and_total", "company_loose", "address_loose", "strict_mean"),
        *("accepted_share", "accepted_precision", "cpu_seconds_mean", "cpu_seconds_p95", "pages_per_minute", "misses"),
    }


def test_a_miss_says_whether_the_text_held_it():
    measures = measure([judged(SLIP, TRUTH | {"total": "50.00", "company": "ANOTHER"})], 1.0)
    reasons = {miss["field"]: miss["reason"] for miss in measures["misses"]}
    assert reasons["total"].startswith("the text holds it")
    assert reasons["company"].startswith("the text was recognized differently")
    assert measures["accepted_precision"] == 0.0


def test_a_receipt_that_could_not_be_read_counts_against_everything():
    lost = Judged("002", "0" * 64, None, "IMAGE_CORRUPT: torn", (), 0.0, 0)
    measures = measure([judged(SLIP, TRUTH), lost], 1.0)
    assert (measures["receipts"], measures["failed"], measures["accepted_share"]) == (2, 1, 0.5)


def test_halves_are_told_by_the_last_digit_of_the_hash():
    assert [half_of("a" * 63 + digit) for digit in "08f"] == ["even", "even", "odd"]
