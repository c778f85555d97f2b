"""Money as receipts print it is read exactly, or is ambiguous with both values."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_tasks.extraction.money import amount, amounts, plain, repair


@pytest.mark.case("C049")
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.234,56", "1234.56"),
        ("1,234.56", "1234.56"),
        ("3 038,14", "3038.14"),
        ("3\u00a0038,14", "3038.14"),
        ("3\u2009038,14", "3038.14"),
        ("3\u202f038,14", "3038.14"),
        ("1'234.50", "1234.50"),
        ("1’234.50", "1234.50"),
        ("1,007.50", "1007.50"),
        ("100,00", "100.00"),
        ("-1.73", "-1.73"),
        ("−1.73", "-1.73"),
        ("RM4.00", "4.00"),
        ("-RM 4.00", "-4.00"),
        ("$8.20", "8.20"),
        ("8.20-", "-8.20"),
        ("(8.20)", "-8.20"),
        ("9. 00", "9.00"),
        ("9 .00", "9.00"),
        ("9  .00", "9.00"),
        ("12,00 EUR", "12.00"),
        ("1.234.567,89", "1234567.89"),
        ("0,586", "0.586"),
    ],
)
def test_a_written_amount_has_exactly_one_value(text, value):
    found = amount(text)
    assert found is not None
    assert found.value == Decimal(value)
    assert found.others == ()


@pytest.mark.case("C049")
@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1.234", {"1234", "1.234"}),
        ("1,234", {"1234", "1.234"}),
        ("1 100.00", {"1100.00", "100.00"}),
    ],
)
def test_an_amount_that_may_mean_two_things_keeps_both(text, values):
    found = amount(text)
    assert found is not None
    assert {found.value, *found.others} == {Decimal(value) for value in values}


@pytest.mark.parametrize("text", ["192.168.1.20", "12/03/2018", "1.2.3"])
def test_what_is_no_amount_is_not_a_price(text):
    assert not any(found.is_price for found in amounts(text))


@pytest.mark.parametrize(
    ("text", "repaired"),
    [
        ("35.0C", "35.00"),
        ("O.50", "0.50"),
        ("l2.00", "12.00"),
        ("1O.00", "10.00"),
        ("COLA", "COLA"),
        ("9.00 SR", "9.00 SR"),
    ],
)
def test_letters_in_the_place_of_digits_are_digits_again(text, repaired):
    assert repair(text) == repaired


@pytest.mark.parametrize(
    ("value", "text"), [("9", "9.00"), ("9.5", "9.50"), ("1007.50", "1007.50"), ("1.459", "1.459")]
)
def test_a_value_is_written_as_the_contract_wants_it(value, text):
    assert plain(Decimal(value)) == text


@given(
    st.decimals(min_value=0, max_value=999_999, places=2),
    st.sampled_from([(",", "."), (".", ","), ("'", "."), ("", ".")]),
)
def test_what_is_printed_in_any_style_is_read_back(value, style):
    group, point = style
    text = f"{value:,.2f}".replace(",", "\0").replace(".", point).replace("\0", group)
    found = amount(text)
    assert found is not None
    assert found.value == value


@given(st.text(max_size=60))
def test_no_text_makes_the_reader_of_money_fail(text):
    amounts(text)
    amount(repair(text))
