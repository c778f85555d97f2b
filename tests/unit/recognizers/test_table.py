"""A grid in, a balance out: headers of several shapes, totals of several kinds."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_tasks.recognizers.table import read_balance
from ledger_tasks.recognizers.words import AmountColumn, column_of

HEADER = ["Account", "Name", "Opening debit", "Opening credit", "Closing debit", "Closing credit"]


@pytest.mark.parametrize(
    ("label", "what"),
    [
        ("Сальдо на начало периода Дебет", AmountColumn("opening", "debit")),
        ("Обороты за период Кредит", AmountColumn("turnover", "credit")),
        ("Исходящее сальдо Дт", AmountColumn("closing", "debit")),
        ("Movement Cr", AmountColumn("turnover", "credit")),
        ("Ending balance, credit", AmountColumn("closing", "credit")),
        ("Счёт", "account"),
        ("Наименование счета", "name"),
        ("Account name", "name"),
        ("Account", "account"),
        ("Дебет", None),
        ("Примечание", None),
    ],
)
def test_the_words_above_a_column_say_what_it_holds(label, what):
    assert column_of(label) == what


def test_a_table_without_debit_and_credit_is_no_balance():
    assert read_balance([["Account", "Name", "Amount"], ["1", "Cash", 5]]) is None


def test_an_amount_that_cannot_be_read_is_remarked_and_left_out():
    balance = read_balance([HEADER, ["50", "Cash", "12:30", 0, 1, 0]])
    assert [(each.code, each.place) for each in balance.remarks] == [("UNREAD_AMOUNT", 2)]
    assert AmountColumn("opening", "debit") not in balance.lines[0].amounts


def test_sub_accounts_do_not_count_twice_in_a_total():
    rows = [
        ["60", "All", 3, 0, 3, 0],
        ["60.01", "A", 1, 0, 1, 0],
        ["60.02", "B", 2, 0, 2, 0],
        ["Total", "", 3, 0, 3, 0],
    ]
    assert read_balance([HEADER, *rows]).remarks == []


def test_a_total_may_sum_the_rows_since_the_total_before_it():
    rows = [
        ["50", "A", 1, 0, 1, 0],
        ["Subtotal", "", 1, 0, 1, 0],
        ["60", "B", 2, 0, 2, 0],
        ["Subtotal", "", 2, 0, 2, 0],
        ["Grand total", "", 3, 0, 3, 0],
    ]
    balance = read_balance([HEADER, *rows])
    assert [line.account for line in balance.lines] == ["50", "60"]
    assert balance.remarks == []


def test_an_account_that_looks_like_a_column_number_is_kept():
    balance = read_balance([HEADER, ["1", "Cash", 7, 0, 7, 0]])
    assert balance.lines[0].amounts[AmountColumn("opening", "debit")] == Decimal("7.00")


@given(
    st.lists(
        st.lists(st.sampled_from([*HEADER, "Total", "Дебет", "", None, 1, 2.5, "1,5", True]), max_size=7), max_size=9
    )
)
def test_no_grid_breaks_the_reader(grid):
    balance = read_balance(grid)
    assert balance is None or all(line.account or line.name for line in balance.lines)
