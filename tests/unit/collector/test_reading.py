"""What people said stands over what was read, and the rest is left as it was."""

import json

import pytest

from contracts.receipts.receipt import Receipt
from ledger_tasks.collector.booking import AMBIGUOUS, DUPLICATE, NEW, Booked, Open, decide, extraction_status
from ledger_tasks.collector.reading import ACCEPTED, BOOKING, as_read, facts_digest, read
from ledger_tasks.storage.corrections import Correction
from ledger_tasks.storage.likeness import Likeness
from tests.support.events import CAFE, receipt

LATTE = {"description": "Latte", "quantity": "2", "unit_price": "3.00", "total": "6.00", "code": None}


def of(reasons=(), items=None, **values):
    return Receipt.model_validate_json(json.dumps(receipt(reasons, items, **values)))


def test_a_correction_replaces_the_value_and_keeps_what_was_read():
    reading = read(of(**CAFE), [Correction("total", "9.50")])
    field = reading.fields["total"]
    assert (field["value"], field["status"], field["source"], field["confidence"]) == (
        "9.50",
        "corrected",
        "human",
        1.0,
    )
    assert field["read"]["value"] == "1007.50"
    assert str(reading.facts.total) == "9.50"


def test_taking_corrections_back_gives_what_was_read():
    plain = read(of(items=[LATTE], **CAFE), [])
    key = plain.items[0]["key"]
    said = [Correction("total", None), Correction("total", "1.00", key), Correction("void", "true", key)]
    corrected = read(of(items=[LATTE], **CAFE), said)
    fields, items = as_read(corrected.fields, corrected.items)
    assert fields == plain.fields
    assert items == [{name: value for name, value in plain.items[0].items() if name != "key"}]


def test_an_item_is_found_by_its_content_wherever_it_stands_and_twins_apart():
    key = read(of(items=[LATTE, LATTE], **CAFE), []).items[1]["key"]
    moved = read(of(items=[LATTE | {"description": "Tea"}, LATTE, LATTE], **CAFE), [Correction("total", "5.00", key)])
    assert [item["total"] for item in moved.items] == ["6.00", "6.00", "5.00"]
    assert [line.total for line in moved.lines] == ["6.00", "6.00", "5.00"]


def test_a_voided_item_is_not_booked():
    assert read(of(items=[LATTE | {"void": True}], **CAFE), []).lines == []


@pytest.mark.parametrize(
    ("reasons", "said", "open_reasons"),
    [
        (("TOTAL_AMBIGUOUS", "DATE_AMBIGUOUS"), [Correction("total", "1.00")], ("DATE_AMBIGUOUS",)),
        (("DATE_AMBIGUOUS",), [Correction("transaction_date", "2026-08-14")], ()),
        (("LOW_OCR_CONFIDENCE",), [Correction("total", "1.00")], ("LOW_OCR_CONFIDENCE",)),
        ((), [Correction("merchant", None)], ("MERCHANT_MISSING",)),
        (("CURRENCY_UNKNOWN",), [Correction("currency", None)], ("CURRENCY_UNKNOWN",)),
    ],
)
def test_a_correction_answers_the_questions_about_its_field_alone(reasons, said, open_reasons):
    assert read(of(reasons, **CAFE), said).reasons == open_reasons


def test_an_acceptance_holds_for_the_facts_it_was_given_for():
    unsure = of(("LOW_OCR_CONFIDENCE",), **CAFE)
    accepted = [Correction(ACCEPTED, facts_digest(read(unsure, []).fields))]
    assert read(unsure, accepted).reasons == ()
    assert read(of(("LOW_OCR_CONFIDENCE",), **CAFE | {"total": "1.00"}), accepted).reasons == ("LOW_OCR_CONFIDENCE",)


def test_a_date_that_no_calendar_has_is_no_fact():
    assert read(of(**CAFE | {"transaction_date": "2026-02-31"}), []).facts is None


SURE = read(of(**CAFE), [])


@pytest.mark.parametrize(
    ("like", "verdict"),
    [
        (Likeness(), Booked(SURE.facts, None)),
        (Likeness(own=7), Booked(SURE.facts, None)),
        (Likeness(candidates=(3,)), Booked(SURE.facts, 3)),
        (Likeness(own=7, candidates=(3, 4)), Booked(SURE.facts, None)),
        (Likeness(candidates=(3, 4)), Open((AMBIGUOUS,))),
        (Likeness(twins=("b",)), Open((DUPLICATE,), ("b",))),
        (Likeness(candidates=(3, 4), twins=("b",)), Open((DUPLICATE, AMBIGUOUS), ("b",))),
    ],
)
def test_a_receipt_is_booked_once_or_waits_for_a_person(like, verdict):
    assert decide(SURE, like) == verdict


@pytest.mark.parametrize(("choice", "adopts"), [(NEW, None), ("4", 4)])
def test_a_person_chooses_the_booking(choice, adopts):
    chosen = read(of(**CAFE), [Correction(BOOKING, choice)])
    assert decide(chosen, Likeness(candidates=(3, 4))) == Booked(chosen.facts, adopts)


def test_an_acceptance_settles_a_suspected_duplicate_but_not_an_ambiguous_booking():
    accepted = read(of(**CAFE), [Correction(ACCEPTED, facts_digest(SURE.fields))])
    assert decide(accepted, Likeness(twins=("b",))) == Booked(accepted.facts, None)
    assert decide(accepted, Likeness(candidates=(3, 4))) == Open((AMBIGUOUS,))


def test_the_status_says_whether_a_person_is_needed():
    unreadable = read(of(("NO_TEXT",)), [])
    assert extraction_status(SURE, Booked(SURE.facts, None)) == "complete"
    assert extraction_status(SURE, Open((DUPLICATE,))) == "review"
    assert extraction_status(unreadable, decide(unreadable, Likeness())) == "review"
