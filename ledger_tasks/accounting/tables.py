"""PURE. Bookings come in; a table for programs (CSV, JSON Lines) or for people (XLSX) goes out as bytes."""

import csv
import io
import json
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Final

from ledger_tasks.accounting.booking import Booking

COLUMNS: Final = ("business_key", "date", "merchant", "currency", "total", "category", "receipt")
ITEM_COLUMNS: Final = ("business_key", "position", "description", "quantity", "unit_price", "total", "code")

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""A text that begins so would be computed by a spreadsheet: what stands on a receipt is a stranger's text."""


def to_csv(bookings: Sequence[Booking]) -> bytes:
    """One row per booking; `items` holds its lines as JSON. A text that looks like a formula gets an apostrophe."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow((*COLUMNS, "items"))
    for each in bookings:
        texts = each.business_key, each.date, _text(each.merchant), each.currency, each.total
        writer.writerow((*texts, _text(each.category), _text(each.receipt), _json(each.document()["items"])))
    return file.getvalue().encode()


def to_json_lines(bookings: Sequence[Booking]) -> bytes:
    """One object per booking, with its lines; amounts are texts."""
    return "".join(_json(each.document()) + "\n" for each in bookings).encode()


def to_xlsx(bookings: Sequence[Booking]) -> bytes:
    """Two sheets, Bookings and Items; amounts are numbers with all their digits, texts are never formulas."""
    from openpyxl import Workbook  # noqa: PLC0415 (only this format needs it)
    from openpyxl.cell import WriteOnlyCell  # noqa: PLC0415
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE  # noqa: PLC0415

    book = Workbook(write_only=True)

    def cell(sheet: object, value: object) -> object:
        made = WriteOnlyCell(sheet)
        match value:
            case str():
                made.value = ILLEGAL_CHARACTERS_RE.sub("", value)
                made.data_type = "s"
            case Decimal():
                made.value, made.number_format = value, "0.00####"
            case date():
                made.value, made.number_format = value, "yyyy-mm-dd"
            case _:
                made.value = value
        return made

    def fill(title: str, columns: tuple[str, ...], rows: list[list[object]]) -> None:
        sheet = book.create_sheet(title)
        sheet.append(columns)
        for row in rows:
            sheet.append([cell(sheet, value) for value in row])

    fill("Bookings", COLUMNS, [[_typed(name, getattr(each, name)) for name in COLUMNS] for each in bookings])
    lines = [(each.business_key, line) for each in bookings for line in each.items]
    named = [{"business_key": key, **vars(line)} for key, line in lines]
    fill("Items", ITEM_COLUMNS, [[_typed(name, line[name]) for name in ITEM_COLUMNS] for line in named])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _typed(name: str, value: object) -> object:
    if isinstance(value, str) and name in {"total", "unit_price", "quantity"}:
        return Decimal(value)
    if isinstance(value, str) and name == "date":
        return date.fromisoformat(value)
    return value


def _text(value: str | None) -> str:
    return f"'{value}" if value and value.startswith(_FORMULA) else value or ""


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
