"""Short words for the facts of a sample: the moment and the goods."""

from calendar import month_name
from datetime import datetime
from decimal import Decimal

from tests.support.slips.slip import Item

MONTHS = tuple(month_name[1:])


def when(text: str) -> datetime:
    """The local time that the till printed."""
    return datetime.fromisoformat(text)


def goods(rate: str, *lines: tuple[str, str] | tuple[str, str, str]) -> tuple[Item, ...]:
    """Items of one tax rate: name, unit price, and quantity where it is not 1."""
    tax = Decimal(rate)
    return tuple(
        Item(name, Decimal(price), Decimal(quantity[0] if quantity else 1), tax) for name, price, *quantity in lines
    )
