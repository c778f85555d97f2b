"""Spreadsheets to trial balances: the bytes of an XLSX, XLS or ODS file come in, statements go out."""

import io
import zipfile
from typing import Final

from python_calamine import CalamineError, CalamineWorkbook, PasswordError, SheetVisibleEnum, ZipError

from ledger_tasks.recognizers.heading import read_heading
from ledger_tasks.recognizers.outcome import Found, Remark, Row, Statement, Unreadable
from ledger_tasks.recognizers.table import Balance, read_balance

UNPACKED_LIMIT: Final = 512 * 1024 * 1024
"""Bytes of a workbook once unpacked: a zip of 1 MB can hold more than the machine."""

CELL_LIMIT: Final = 5_000_000
"""Cells of one sheet."""

_ZIP: Final = b"PK\x03\x04"
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def read_workbook(content: bytes) -> Found:
    """Read every visible sheet that holds a trial balance. Raises Unreadable."""
    if not content.startswith((_ZIP, _OLE)):
        raise Unreadable("UNSUPPORTED_FORMAT", "neither XLSX, XLS nor ODS")
    _refuse_bomb(content)
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(content))
        names = [each.name for each in workbook.sheets_metadata if each.visible == SheetVisibleEnum.Visible]
        found = [_read_sheet(workbook, name) for name in names]
    except PasswordError:
        raise Unreadable("READ_FAILED", "the workbook is encrypted") from None
    except ZipError:
        raise Unreadable("READ_FAILED", "the workbook is damaged") from None
    except CalamineError as error:
        if "detect" in str(error).lower():
            raise Unreadable("UNSUPPORTED_FORMAT", "not a workbook") from None
        raise Unreadable("READ_FAILED", "the workbook cannot be read") from None
    statements = [statement for statements, _ in found for statement in statements]
    if not any(statement.rows for statement in statements):
        raise Unreadable("EMPTY_DOCUMENT", "no sheet holds a trial balance with rows")
    return Found(statements, [remark for _, remarks in found for remark in remarks])


def _read_sheet(workbook: CalamineWorkbook, name: str) -> tuple[list[Statement], list[Remark]]:
    sheet = workbook.get_sheet_by_name(name)
    if sheet.total_height * sheet.total_width > CELL_LIMIT:
        raise Unreadable("READ_FAILED", f"sheet {name[:50]} has more than {CELL_LIMIT} cells")
    balance = read_balance(sheet.to_python(skip_empty_area=False))
    if balance is None:
        return [], []
    remarks = [Remark(each.code, each.message, locator={"sheet": name, "row": each.place}) for each in balance.remarks]
    return [_statement(balance, name)], remarks


def _statement(balance: Balance, sheet: str) -> Statement:
    heading = read_heading(balance.above)
    rows = [
        Row(
            line.account or None,
            line.name or None,
            {(part, side): amount for (part, side), amount in line.amounts.items()},
        )
        for line in balance.lines
    ]
    title = heading.title or sheet
    return Statement("osv", rows, title, heading.currency, heading.first_day, heading.last_day)


def _refuse_bomb(content: bytes) -> None:
    if not content.startswith(_ZIP):
        return
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            size = sum(each.file_size for each in packed.infolist())
    except zipfile.BadZipFile:
        raise Unreadable("READ_FAILED", "the workbook is damaged") from None
    if size > UNPACKED_LIMIT:
        raise Unreadable("READ_FAILED", f"the workbook unpacks to {size} bytes, the limit is {UNPACKED_LIMIT}")
