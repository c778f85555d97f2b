"""A cell in, an exact amount out, or a refusal; never another number."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_tasks.recognizers.cells import amount_of, text_of


@pytest.mark.case("C049")
@pytest.mark.parametrize(
    ("cell", "amount"),
    [
        ("1.234,56", "1234.56"),
        ("1,234.56", "1234.56"),
        ("3 038,14", "3038.14"),
        ("3\u00a0038,14", "3038.14"),
        ("3\u2009038,14", "3038.14"),
        ("1'234.50", "1234.50"),
        ("1,007.50", "1007.50"),
        ("-1.73", "-1.73"),
        ("(1.73)", "-1.73"),
        ("\N{MINUS SIGN}5", "-5.00"),
        ("1.234.567", "1234567.00"),
        ("1,234", "1234.00"),
        (1007.5, "1007.50"),
        (0.1 + 0.2, "0.30"),
        (12, "12.00"),
        (0.125, "0.125"),
    ],
)
def test_an_amount_is_exact(cell, amount):
    assert str(amount_of(cell)) == amount


@pytest.mark.parametrize("cell", ["", "  ", "-", "\N{EM DASH}", None])
def test_an_empty_cell_is_no_amount(cell):
    assert amount_of(cell) is None


@pytest.mark.parametrize("cell", ["x", "1.2.3,4,5", "12:30", True, "1e5", float("1e30"), float("inf"), float("nan")])
def test_anything_else_is_refused(cell):
    with pytest.raises(ValueError, match="amount"):
        amount_of(cell)


@given(st.text() | st.floats() | st.integers() | st.booleans() | st.none())
def test_nothing_but_a_refusal_escapes(cell):
    try:
        amount = amount_of(cell)
    except ValueError:
        return
    assert amount is None or abs(amount) < Decimal(10) ** 18


@pytest.mark.parametrize(("cell", "text"), [(60.0, "60"), (60.01, "60.01"), (51, "51"), (" a \n b", "a b"), (None, "")])
def test_a_number_becomes_text_without_point_zero(cell, text):
    assert text_of(cell) == text
