"""Cells of a table: what a spreadsheet holds comes in, text and exact amounts go out."""

import re
from decimal import Decimal
from typing import Final

Cell = object
"""What a spreadsheet library returns: text, int, float, bool, a date, or an empty text."""

_SPACES: Final = re.compile(r"[\s\u00a0\u2007\u2009\u202f']")
_GROUPED_BY_COMMA: Final = re.compile(r"^-?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?$")
_GROUPED_BY_POINT: Final = re.compile(r"^-?[0-9]{1,3}(\.[0-9]{3})+(,[0-9]+)?$")
_PLAIN: Final = re.compile(r"^-?[0-9]{1,18}([.,][0-9]{1,6})?$")
_DECIMALS: Final = 6
"""Digits behind the point that the contract carries; a float has no more to say about money."""


def text_of(cell: Cell) -> str:
    """Return a cell as text: spaces single, a whole float without `.0`."""
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() else repr(cell)
    return "" if cell is None or isinstance(cell, bool) else " ".join(str(cell).split())


def amount_of(cell: Cell) -> Decimal | None:
    """Return an exact amount, None for an empty cell or a dash. Raises ValueError for anything else.

    `1 234,56`, `1,234.56`, `1.234,56` and `(5.00)` are numbers; `1,234` is one thousand two hundred and thirty-four.
    """
    if isinstance(cell, bool):
        raise ValueError("a truth value is no amount")  # noqa: TRY004 (one kind of error: not an amount)
    if isinstance(cell, int | float):
        return _exact(Decimal(str(round(cell, _DECIMALS))))
    text = _SPACES.sub("", text_of(cell)).replace("\N{MINUS SIGN}", "-").replace("\N{EN DASH}", "-")
    if text in {"", "-", "\N{EM DASH}"}:
        return None
    if text.startswith("(") and text.endswith(")"):
        text = f"-{text[1:-1]}"
    if _GROUPED_BY_COMMA.match(text):
        text = text.replace(",", "")
    elif _GROUPED_BY_POINT.match(text) and ("," in text or text.count(".") > 1):
        text = text.replace(".", "").replace(",", ".")
    elif _PLAIN.match(text):
        text = text.replace(",", ".")
    else:
        raise ValueError("not an amount")
    return _exact(Decimal(text))


def _exact(amount: Decimal) -> Decimal:
    """Give at least two decimals, and as many more as the amount needs."""
    if not amount.is_finite() or abs(amount) >= Decimal(10) ** 18:
        raise ValueError("the amount is out of range")
    places = max(2, min(_DECIMALS, -int(amount.normalize().as_tuple().exponent)))
    return amount.quantize(Decimal(1).scaleb(-places))
