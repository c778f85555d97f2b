"""What earlier, confirmed receipts taught: per merchant the order of dates and the currency, as plain values."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import Field

from contracts.receipts.receipt import Country, Currency, Text
from contracts.wire import Wire

DateOrder = Literal["DMY", "MDY", "YMD"]


MAX_MERCHANTS: Final = 10_000
"""Spellings of merchants in one file: about two megabytes."""


class MerchantHint(Wire):
    """What people confirmed about one merchant; `name` is how it is written in the books."""

    name: Text | None = None
    date_order: DateOrder | None = None
    currency: Currency | None = None
    country: Country | None = None


class Hints(Wire):
    """`merchants` is keyed by `merchant_key` of any spelling seen; the rest holds for a receipt that says nothing."""

    version: Annotated[int, Field(ge=1, le=1)] = 1
    revision: Text = ""
    date_order: DateOrder | None = None
    currency: Currency | None = None
    country: Country | None = None
    merchants: Annotated[Mapping[str, MerchantHint], Field(max_length=MAX_MERCHANTS)] = {}


def merchant_key(name: str) -> str:
    """Return the letters and digits of a name, lower case: what two spellings of it share."""
    return "".join(letter for letter in name.casefold() if letter.isalnum())
