"""What earlier, confirmed receipts taught: per merchant its name, the order of dates and the currency, as values."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import Field

from contracts.receipts.receipt import Currency, Text
from contracts.wire import Wire

DateOrder = Literal["DMY", "MDY", "YMD"]


MAX_MERCHANTS: Final = 10_000
"""Spellings of merchants in one file: about two megabytes."""

SURE_KEY: Final = 8
"""Letters and digits from which a key with one wrong letter is that of no other merchant."""


class MerchantHint(Wire):
    """What people confirmed about one merchant; `name` is how it is written in the books."""

    name: Text | None = None
    date_order: DateOrder | None = None
    currency: Currency | None = None


class Hints(Wire):
    """`merchants` is keyed by `merchant_key` of any spelling seen."""

    version: Annotated[int, Field(ge=1, le=1)] = 1
    revision: Text = ""
    merchants: Annotated[Mapping[str, MerchantHint], Field(max_length=MAX_MERCHANTS)] = {}

    def about(self, name: str) -> MerchantHint:
        """Return what is known of a merchant as it was read; one wrong letter is allowed where that leaves one."""
        key = merchant_key(name)
        if key in self.merchants or len(key) < SURE_KEY:
            return self.merchants.get(key, MerchantHint())
        near = {hint for known, hint in self.merchants.items() if _is_misread(key, known)}
        return near.pop() if len(near) == 1 else MerchantHint()


def merchant_key(name: str) -> str:
    """Return the letters and digits of a name, lower case: what two spellings of it share."""
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def _is_misread(read: str, known: str) -> bool:
    """Say whether one letter differs; a digit tells branches apart."""
    if len(read) != len(known):
        return False
    wrong = [pair for pair in zip(read, known, strict=True) if pair[0] != pair[1]]
    return len(wrong) == 1 and all(letter.isalpha() for letter in wrong[0])
