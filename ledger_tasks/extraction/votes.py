"""What a second engine read at the place of a date or a total comes in; whether it says the same goes out."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from ledger_tasks.extraction.dates import dates
from ledger_tasks.extraction.lines import Line
from ledger_tasks.extraction.money import amounts, repair


def confirms_day(votes: Sequence[Line], day: date, today: date) -> bool:
    """Say whether one of the second readings may mean this day."""
    return any(day in (each for _, each in found.days) for line in votes for found in dates(line.text, today))


def confirms_amount(votes: Sequence[Line], value: Decimal) -> bool:
    """Say whether one of the second readings holds this amount as a price."""
    return any(value == found.value and found.is_price for line in votes for found in amounts(repair(line.text)))
