"""Spreadsheets in, statements out: three formats, two languages, merged headers, separators, totals."""

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from ledger_tasks.recognizers.outcome import Unreadable
from ledger_tasks.recognizers.tabular import read_workbook

SAMPLES = Path(__file__).parents[2] / "data" / "trial_balances"


def read(name):
    return read_workbook((SAMPLES / name).read_bytes())


def amounts(row):
    return {f"{part} {side}": str(amount) for (part, side), amount in row.amounts.items()}


def test_a_russian_xlsx_with_merged_headers():
    found = read("russian.xlsx")
    (statement,) = found.statements
    assert statement.title == "Оборотно-сальдовая ведомость за 1 квартал 2026 г."
    assert (statement.currency, statement.first_day, statement.last_day) == ("RUB", date(2026, 1, 1), date(2026, 3, 31))
    assert [row.account for row in statement.rows] == ["50", "51", "60", "60.01", "60.02", "90"]
    assert statement.rows[0].name == "Касса"
    assert amounts(statement.rows[1]) == {
        "opening debit": "1250000.00",
        "turnover debit": "845300.25",
        "turnover credit": "990100.10",
        "closing debit": "1105200.15",
    }
    assert found.remarks == []


def test_an_english_xls_with_amounts_as_text():
    found = read("english.xls")
    (statement,) = found.statements
    assert [row.account for row in statement.rows] == ["1010", "2010", "3010"]
    assert (statement.currency, statement.first_day, statement.last_day) == ("USD", date(2026, 1, 1), date(2026, 3, 31))
    assert statement.rows[2].amounts[("opening", "debit")] == Decimal("-5.25")
    assert found.remarks == []


def test_a_russian_ods_with_no_break_spaces_and_decimal_commas():
    found = read("russian.ods")
    (statement,) = found.statements
    assert [(row.account, row.name) for row in statement.rows] == [("50", "Касса"), ("60", "Расчеты с поставщиками")]
    assert (statement.currency, statement.first_day, statement.last_day) == ("BYN", date(2026, 1, 1), date(2026, 3, 31))
    assert amounts(statement.rows[0])["turnover debit"] == "30000.00"
    assert found.remarks == []


def test_a_wrong_total_is_remarked_with_its_place():
    (remark,) = read("wrong_total.xlsx").remarks
    assert remark.code == "TOTAL_MISMATCH"
    assert remark.locator == {"sheet": "ОСВ", "row": 14}
    assert "1106650.60" in remark.message


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"%PDF-1.7", "UNSUPPORTED_FORMAT"),
        (b"", "UNSUPPORTED_FORMAT"),
        (b"PK\x03\x04 and no more", "READ_FAILED"),
        ((SAMPLES / "no_balance.xlsx").read_bytes(), "EMPTY_DOCUMENT"),
        ((SAMPLES / "russian.xlsx").read_bytes()[:3000], "READ_FAILED"),
        ((SAMPLES / "english.xls").read_bytes()[:2000], "UNSUPPORTED_FORMAT"),
    ],
)
def test_what_is_no_trial_balance_is_named(content, code):
    with pytest.raises(Unreadable) as refused:
        read_workbook(content)
    assert refused.value.code == code
