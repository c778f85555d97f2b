"""Make the sample trial balances beside this file.

uv run --no-project --with openpyxl --with xlwt --with odfpy python tests/data/trial_balances/make.py
"""

from pathlib import Path

import xlwt
from odf.opendocument import OpenDocumentSpreadsheet
from odf.table import CoveredTableCell, Table, TableCell, TableRow
from odf.text import P
from openpyxl import Workbook

HOME = Path(__file__).parent
GROUPS = ("Сальдо на начало периода", "Обороты за период", "Сальдо на конец периода")

# Account, name, then opening, turnover, closing: debit and credit. 60 is the sum of 60.01 and 60.02.
ROWS = (
    (50.0, "Касса", 1250.5, None, 30000, 29800, 1450.5, None),
    (51.0, "Расчетные счета", 1250000, None, 845300.25, 990100.1, 1105200.15, None),
    (60.0, "Расчеты с поставщиками", None, 310000, 290000.4, 145000.7, None, 165000.3),
    ("60.01", "Расчеты с поставщиками в рублях", None, 300000, 280000.4, 140000.7, None, 160000.3),
    ("60.02", "Авансы выданные", None, 10000, 10000, 5000, None, 5000),
    (90.0, "Продажи", None, 941250.5, 0, 400.15, None, 941650.65),
)
TOTAL = ("Итого", "", 1251250.5, 1251250.5, 1165300.65, 1165300.95, 1106650.65, 1106650.95)


def make_russian_xlsx(name, total, rows=ROWS):
    """Write what 1C exports: merged groups over debit and credit, a row of column numbers, floats, a second sheet."""
    book = Workbook()
    sheet = book.active
    sheet.title = "ОСВ"
    sheet["A1"] = "ООО «Ромашка»"
    sheet["A2"] = "Оборотно-сальдовая ведомость за 1 квартал 2026 г."
    sheet["A3"] = "Единица измерения: руб."
    sheet["A5"], sheet["B5"] = "Счет", "Наименование счета"
    for number, group in enumerate(GROUPS):
        column = 3 + 2 * number
        sheet.cell(5, column, group)
        sheet.merge_cells(start_row=5, end_row=5, start_column=column, end_column=column + 1)
        sheet.cell(6, column, "Дебет")
        sheet.cell(6, column + 1, "Кредит")
    sheet.merge_cells("A5:A6")
    sheet.merge_cells("B5:B6")
    for number in range(1, 9):
        sheet.cell(7, number, number)
    for place, row in enumerate((*rows, total), start=8):
        for column, value in enumerate(row, start=1):
            sheet.cell(place, column, value)
    book.create_sheet("Примечания")["A1"] = "Составил: бухгалтер"
    book.save(HOME / name)


def make_english_xls():
    """Write an old workbook: one header row, amounts as text with thousands separators and parentheses."""
    book = xlwt.Workbook(encoding="utf-8")
    sheet = book.add_sheet("Trial balance")
    sheet.write(0, 0, "Trial balance for the period from 2026-01-01 to 2026-03-31, USD")
    header = (
        "Account",
        "Account name",
        "Opening debit",
        "Opening credit",
        "Turnover debit",
        "Turnover credit",
        "Closing debit",
        "Closing credit",
    )
    rows = (
        (1010, "Cash", "1,250.50", "", "30,000.00", "29,800.00", "1,450.50", ""),
        (2010, "Accounts payable", "", "310,000.00", "290,000.40", "145,000.70", "", "165,000.30"),
        (3010, "Corrections", "(5.25)", "", "", "", "(5.25)", ""),
        ("Total", "", "1,245.25", "310,000.00", "320,000.40", "174,800.70", "1,445.25", "165,000.30"),
    )
    for place, row in enumerate((header, *rows), start=2):
        for column, value in enumerate(row):
            sheet.write(place, column, value)
    book.save(str(HOME / "english.xls"))


def make_russian_ods():
    """Write OpenDocument: amounts as text with no-break spaces and decimal commas, account and name in one column."""
    book = OpenDocumentSpreadsheet()
    table = Table(name="ОСВ")
    lines = [
        ["Оборотно-сальдовая ведомость"],
        ["за период с 01.01.2026 по 31.03.2026, BYN"],
        ["Счет", *(cell for group in GROUPS for cell in (group, None))],
        ["", *(("Дебет", "Кредит") * 3)],
        ["50, Касса", "1\u00a0250,50", "", "30\u00a0000,00", "29\u00a0800,00", "1\u00a0450,50", ""],
        [
            "60, Расчеты с поставщиками",
            "",
            "310\u00a0000,00",
            "290\u00a0000,40",
            "145\u00a0000,70",
            "",
            "165\u00a0000,30",
        ],
        [
            "Всего",
            "1\u00a0250,50",
            "310\u00a0000,00",
            "320\u00a0000,40",
            "174\u00a0800,70",
            "1\u00a0450,50",
            "165\u00a0000,30",
        ],
    ]
    for line in lines:
        row = TableRow()
        for value in line:
            if value is None:
                row.addElement(CoveredTableCell())
                continue
            spanned = {"numbercolumnsspanned": 2} if value in GROUPS else {}
            cell = TableCell(valuetype="string", **spanned)
            cell.addElement(P(text=value))
            row.addElement(cell)
        table.addElement(row)
    book.spreadsheet.addElement(table)
    book.save(str(HOME / "russian.ods"))


def make_empty_xlsx():
    book = Workbook()
    book.active["A1"] = "Список сотрудников"
    book.save(HOME / "no_balance.xlsx")


if __name__ == "__main__":
    make_russian_xlsx("russian.xlsx", TOTAL)
    make_russian_xlsx("wrong_total.xlsx", (*TOTAL[:6], 1106650.6, TOTAL[7]))
    make_english_xls()
    make_russian_ods()
    make_empty_xlsx()
