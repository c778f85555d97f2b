"""What a second engine read at the place of a date or a total comes in; whether it says the same goes out."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from ledger_tasks.extraction.dates import dates
from ledger_tasks.extraction.dating import Dated
from ledger_tasks.extraction.lines import Line
from ledger_tasks.extraction.money import amounts, repair


def confirms_day(votes: Sequence[Line], day: date, today: date) -> bool | None:
    """Say whether one of the second readings may mean this day; None when they hold no date."""
    days = {each for line in votes for found in dates(line.text, today) for _, each in found.days}
    return day in days if days else None


def clearer_day(closer: Sequence[Line], when: Dated, today: date) -> date | None:
    """Return the only day in a closer look at the date's row when it was read better than the first time, else None."""
    orders = {order for order, day in when.found.days if day == when.day}
    days = {
        day: line.confidence
        for line in closer
        for found in dates(line.text, today)
        for order, day in found.days
        if order in orders
    }
    return next((day for day, sure in days.items() if len(days) == 1 and sure > when.line_confidence), None)


def confirms_amount(votes: Sequence[Line], value: Decimal) -> bool | None:
    """Say whether one of the second readings holds this amount as a price; None when they hold no price."""
    prices = {abs(found.value) for line in votes for found in amounts(repair(line.text)) if found.is_price}
    return abs(value) in prices if prices else None
