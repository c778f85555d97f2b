"""What a person types becomes the value its field can hold, or is refused with the form to write instead."""

import pytest

from ledger_tasks.collector.checking import checked
from ledger_tasks.errors import UsageError
from ledger_tasks.storage.corrections import Correction


@pytest.mark.parametrize(
    ("typed", "meant"), [("1 007,50", "1007.50"), (" 12.00 ", "12.00"), ("-3,5", "-3.5"), ("  ", None), (None, None)]
)
def test_an_amount_may_be_typed_with_a_comma_and_nothing_says_that_there_is_none(typed, meant):
    assert checked(Correction("total", typed)) == Correction("total", meant)


@pytest.mark.parametrize(
    ("field", "value", "remedy"),
    [
        ("total", "a lot", "as 1007.50"),
        ("tip", "1.2.3", "as 1007.50"),
        ("transaction_date", "2026-02-30", "as 2026-08-14"),
        ("currency", "euro", "three letters"),
        ("card_last4", "12", "four digits"),
    ],
)
def test_a_value_that_its_field_cannot_hold_is_refused_with_its_form_and_never_quoted(field, value, remedy):
    with pytest.raises(UsageError) as refused:
        checked(Correction(field, value))
    assert remedy in refused.value.remedy
    assert value not in refused.value.message


@pytest.mark.parametrize("field", ["colour", "raw_text"])
def test_only_the_single_fields_and_the_parts_of_an_item_can_be_corrected(field):
    with pytest.raises(UsageError, match="no field is called"):
        checked(Correction(field, "x"))
    with pytest.raises(UsageError, match="no field is called"):
        checked(Correction(field, "x", item="key of an item"))


@pytest.mark.parametrize("choice", ["", "new", "17", "copy:" + 64 * "a"])
def test_a_booking_is_chosen_by_number_new_copy_or_nothing(choice):
    assert checked(Correction("booking", choice)).value == (choice or None)


@pytest.mark.parametrize("choice", ["old", "-1", "copy:abc", "1.5"])
def test_any_other_choice_of_a_booking_is_refused(choice):
    with pytest.raises(UsageError, match="a booking is chosen by"):
        checked(Correction("booking", choice))
