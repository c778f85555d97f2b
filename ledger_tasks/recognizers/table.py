"""A trial balance in a grid of cells: rows come in, a statement with its rows and what looked wrong goes out. PURE."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, NamedTuple

from ledger_tasks.recognizers.cells import Cell, amount_of, text_of
from ledger_tasks.recognizers.words import AmountColumn, column_of, is_total

Grid = Sequence[Sequence[Cell]]
Amounts = dict[AmountColumn, Decimal]

HEADER_DEPTH: Final = 3
"""Rows that a header may take: a title over groups over debit and credit."""

HEADER_SEARCH: Final = 60
"""Rows in which a header is looked for."""

_ACCOUNT_AND_NAME: Final = re.compile(r"^([0-9A-ZА-Я][0-9A-ZА-Я.]*)[\s,]+(\S.*)$")


class Line(NamedTuple):
    """One row of the balance; `place` is its row in the grid, from 1."""

    place: int
    account: str
    name: str
    amounts: Amounts


@dataclass(frozen=True, slots=True)
class Remark:
    """Something a person should look at."""

    code: str
    message: str
    place: int


@dataclass(slots=True)
class Balance:
    """What was found below one header; `above` is the text over it."""

    above: list[str]
    lines: list[Line] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)


class _Header(NamedTuple):
    first: int
    depth: int
    columns: Mapping[int, AmountColumn | str]


def read_balance(grid: Grid) -> Balance | None:
    """Return the trial balance of a grid, or None when there is no header of one."""
    header = _find_header(grid)
    if header is None:
        return None
    above = [text for row in grid[: header.first] for cell in row if (text := text_of(cell))]
    balance = Balance(above)
    totals: list[Line] = []
    for place, row in enumerate(grid[header.first + header.depth :], start=header.first + header.depth + 1):
        line = _line(place, row, header, balance.remarks)
        if line is None:
            continue
        if is_total(line.account) or is_total(line.name):
            totals.append(line)
        else:
            balance.lines.append(line)
    balance.remarks += _wrong_totals(balance.lines, totals)
    return balance


def _find_header(grid: Grid) -> _Header | None:
    for first in range(min(len(grid), HEADER_SEARCH)):
        for depth in range(1, HEADER_DEPTH + 1):
            columns = _columns(grid[first : first + depth])
            amounts = [each for each in columns.values() if isinstance(each, AmountColumn)]
            both_sides = {each.side for each in amounts} == {"debit", "credit"}
            named = {"account", "name"} & set(map(str, columns.values()))
            if both_sides and named and len(set(amounts)) == len(amounts):
                return _Header(first, depth, columns)
    return None


def _columns(rows: Grid) -> dict[int, AmountColumn | str]:
    """Read the words above each column; the text of a merged cell stands in its first column and covers the rest."""
    labels: dict[int, list[str]] = {}
    for number, row in enumerate(rows):
        covering, is_last = "", number == len(rows) - 1
        for column, cell in enumerate(row):
            text = text_of(cell)
            covering = text or covering
            labels.setdefault(column, []).append(text if is_last else covering)
    found = {column: column_of(" ".join(texts)) for column, texts in labels.items() if texts[-1] or len(texts) == 1}
    # A header merged downwards has its text in its first row only.
    for column, texts in labels.items():
        own = [text_of(row[column]) for row in rows if column < len(row)]
        if found.get(column) is None and not texts[-1] and any(own):
            found[column] = column_of(" ".join(own))
    return {column: what for column, what in found.items() if what is not None}


def _line(place: int, row: Sequence[Cell], header: _Header, remarks: list[Remark]) -> Line | None:
    account = name = ""
    amounts: Amounts = {}
    for column, what in header.columns.items():
        cell = row[column] if column < len(row) else ""
        if what == "account":
            account = account or text_of(cell)
        elif what == "name":
            name = name or text_of(cell)
        elif isinstance(what, AmountColumn):
            try:
                amount = amount_of(cell)
            except ValueError:
                remarks.append(Remark("UNREAD_AMOUNT", f"column {column + 1}: {text_of(cell)[:50]}", place))
                continue
            if amount is not None:
                amounts[what] = amount
    both = _ACCOUNT_AND_NAME.match(account) if not name and not is_total(account) else None
    if both:
        account, name = both.groups()
    if not account and not name:
        return None
    if _is_column_numbers(account, amounts, header):
        return None
    return Line(place, account, name, amounts)


def _is_column_numbers(account: str, amounts: Amounts, header: _Header) -> bool:
    """Tell the row `1 2 3 4 5 6 7` below a header, which numbers the columns, from an account."""
    numbers = [amounts.get(what) for what in header.columns.values() if isinstance(what, AmountColumn)]
    first = Decimal(account) if account.isdecimal() and len(account) == 1 else None
    return (
        first is not None
        and None not in numbers
        and all(
            amount == first + distance
            for distance, amount in enumerate(numbers, start=len(header.columns) - len(numbers))
        )
    )


def _wrong_totals(lines: Sequence[Line], totals: Sequence[Line]) -> list[Remark]:
    """Compare each total with the sum of all rows above it, or of those since the total before it."""
    leaves = [line for line in lines if not _has_children(line, lines)]
    wrong: list[Remark] = []
    before = 0
    for total in totals:
        above = [line for line in leaves if line.place < total.place]
        since = [line for line in above if line.place > before]
        before = total.place
        for column, amount in total.amounts.items():
            sums = {_sum(above, column), _sum(since, column)}
            if amount not in sums:
                shown = f"{column.part} {column.side}: the total says {amount}, the rows give {_sum(above, column)}"
                wrong.append(Remark("TOTAL_MISMATCH", shown, total.place))
    return wrong


def _has_children(line: Line, lines: Sequence[Line]) -> bool:
    """Say whether sub-accounts of an account are listed too: 60 over 60.01 would count twice."""
    return bool(line.account) and any(other.account.startswith(f"{line.account}.") for other in lines)


def _sum(lines: Sequence[Line], column: AmountColumn) -> Decimal:
    return sum((line.amounts.get(column, Decimal(0)) for line in lines), Decimal(0))
