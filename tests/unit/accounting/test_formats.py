"""Every digit and every letter of a booking survives each format, and the programs that read them agree."""

import csv
import io
import json
import os
import shutil
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest
from openpyxl import load_workbook

from ledger_tasks.accounting.booking import booking, plain
from ledger_tasks.accounting.journals import UNSORTED, account, to_beancount, to_hledger
from ledger_tasks.accounting.tables import to_csv, to_json_lines, to_xlsx

KEY = "ab" * 32
MILK = {
    "position": 1,
    "description": 'Milk "fresh"; 3,5%',
    "quantity": "2.000000",
    "unit_price": "0.9950",
    "total": "1.9900",
}


def said(**changes):
    plainly = {
        "business_key": KEY,
        "date": "2026-08-14",
        "merchant": "Café Zoë",
        "currency": "EUR",
        "total": "1007.5000",
        "category": "food/eating out",
        "receipt": "2026-08-14/zoë.pdf",
        "items": [MILK | {"code": None}],
    }
    return booking(plainly | changes)


NASTY = [
    said(),
    said(business_key="booking:7", merchant='=1+1 "quoted" \\ ; | (x)\n* !', category=None, receipt=None, items=[]),
    said(business_key="cd" * 32, total="-3.0001", category="поездки:日本"),
    said(business_key="ef" * 32, total="999999999999.9999", currency="JPY", category="::"),
    said(business_key="01" * 32, total="1.234", merchant=""),
]


@pytest.mark.parametrize(
    ("given", "shown"),
    [("1007.5000", "1007.50"), ("0.0000", "0.00"), ("-3.0001", "-3.0001"), ("1E+3", "1000.00"), ("10", "10.00")],
)
def test_an_amount_is_shown_exactly_with_at_least_two_digits(given, shown):
    assert plain(given) == shown


@pytest.mark.parametrize(
    ("category", "name"),
    [
        (None, UNSORTED),
        ("", UNSORTED),
        (": /", UNSORTED),
        ("food/eating out", "Expenses:Food:Eating-out"),
        ("поездки", "Expenses:Поездки"),
        ("日本", "Expenses:X-日本"),
        ("a²; b", "Expenses:A-b"),
    ],
)
def test_a_category_names_its_account(category, name):
    assert account(category) == name


def test_csv_and_json_lines_say_everything_and_no_text_is_a_formula():
    rows = list(csv.DictReader(io.StringIO(to_csv(NASTY).decode())))
    assert [row["total"] for row in rows] == ["1007.50", "1007.50", "-3.0001", "999999999999.9999", "1.234"]
    assert rows[1]["merchant"] == "'" + NASTY[1].merchant
    assert json.loads(rows[0]["items"])[0]["unit_price"] == "0.995"
    told = [json.loads(line) for line in to_json_lines(NASTY).splitlines()]
    assert [each["merchant"] for each in told] == [each.merchant for each in NASTY]
    assert told[0]["items"][0] == MILK | {"code": None, "quantity": "2", "unit_price": "0.995", "total": "1.99"}


def test_a_spreadsheet_holds_every_digit_and_no_formula():
    book = load_workbook(io.BytesIO(to_xlsx(NASTY)))
    rows = list(book["Bookings"].iter_rows(min_row=2))
    assert [Decimal(str(row[4].value)) for row in rows[:3]] == [Decimal(each.total) for each in NASTY[:3]]
    assert rows[1][2].data_type == "s"
    assert rows[1][2].value.startswith("=1+1")
    assert next(book["Items"].iter_rows(min_row=2, values_only=True))[:3] == (KEY, 1, MILK["description"])


def test_beancount_accepts_its_journal(tmp_path):
    path = tmp_path / "journal.bean"
    path.write_bytes(to_beancount(NASTY))
    program = Path(sys.executable).with_name("bean-check")
    checked = subprocess.run([program, path], check=False, capture_output=True, text=True)
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")


@pytest.mark.skipif(shutil.which("hledger") is None, reason="hledger is not installed")
def test_hledger_accepts_its_journal_and_adds_it_up_exactly():
    def hledger(*words):
        return subprocess.run(
            ["hledger", "-f-", *words],
            input=to_hledger(NASTY),
            env=os.environ | {"LC_ALL": "C.UTF-8"},
            capture_output=True,
            check=True,
        ).stdout

    codes = hledger("codes").decode().split()
    assert codes == [each.business_key for each in NASTY]
    balance = hledger("balance", "Expenses", "-O", "csv", "--flat").decode()
    assert '"Expenses:Поездки:X-日本","-3.0001 EUR"' in balance
    assert "999999999999.9999 JPY" in balance
