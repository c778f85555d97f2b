"""How a shop prints: its words, its amounts, its dates and the place of everything; values only."""

from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Literal

MINUS = "-"


@dataclass(frozen=True)
class Money:
    """How amounts are printed: `1.234,56` is decimal "," and thousands "."; `mark` is {} and the currency."""

    decimal: str = "."
    thousands: str = ""
    mark: str = "{}"
    """Used at the total: "$ {}", "{} EUR"."""
    everywhere: bool = False
    """The mark stands at every amount, not only at the total."""

    def plain(self, amount: Decimal) -> str:
        """The amount at items and sums."""
        return self.marked(amount) if self.everywhere else self._digits(amount)

    def marked(self, amount: Decimal) -> str:
        """The amount at the total."""
        sign = MINUS if amount < 0 else ""
        return sign + self.mark.format(self._digits(abs(amount)))

    def _digits(self, amount: Decimal) -> str:
        whole, _, cents = f"{amount:,.2f}".partition(".")
        return whole.replace(",", self.thousands) + self.decimal + cents


@dataclass(frozen=True)
class Words:
    """The labels of one shop, in its language."""

    total: str = "TOTAL"
    subtotal: str = "Subtotal"
    before_tax: str = "Total excl. tax"
    tax: str = "Tax {rate}%"
    tax_header: tuple[str, str, str] = ("Net", "Tax", "Gross")
    cash: str = "CASH"
    card: str = "CARD"
    change: str = "CHANGE"
    charged: str = "AMOUNT"
    """Repeats the total on the slip of the card terminal."""
    rounding: str = "Rounding"
    service: str = "Service charge"
    tip: str = "Tip"
    refund: str = "REFUND"
    date: str = ""
    time: str = ""
    number: str = "Receipt No: "
    header: tuple[str, str, str, str] = ("Description", "Qty", "Price", "Amount")
    months: tuple[str, ...] = ()
    """Names of the months as this shop prints them."""
    count: str = ""
    """The line that counts the items; {} is the number."""
    head: tuple[str, ...] = ()
    foot: tuple[str, ...] = ("Thank you",)


@dataclass(frozen=True)
class Style:
    """One house style: where things stand and how they are printed."""

    words: Words = field(default_factory=Words)
    money: Money = field(default_factory=Money)
    date: str = "{d:02}/{m:02}/{y}"
    time: str = "{H:02}:{M:02}"
    when: Literal["head", "split", "foot", "card"] = "head"
    items: Literal["one", "two", "table", "coded", "after"] = "one"
    tax: Literal["lines", "net", "table", "foot", "none"] = "lines"
    subtotal: bool = True
    title: Literal["plain", "large", "inverse", "left"] = "large"
    rule: str = "-"
    leader: str = ""
    total_scale: float = 1.3
    total_below: bool = False
    """The amount stands on a line of its own, below its label."""
    letters: bool = False
    """A letter behind every amount tells its tax rate."""
    bars: tuple[int, ...] = ()


def printed_date(when: datetime, style: Style) -> str:
    """The date as this shop prints it."""
    month = style.words.months[when.month - 1] if style.words.months else ""
    return style.date.format(d=when.day, m=when.month, y=when.year, yy=f"{when.year % 100:02}", month=month)


def printed_time(when: datetime, style: Style) -> str:
    """The time as this shop prints it."""
    twelve = (when.hour + 11) % 12 + 1
    return style.time.format(H=when.hour, h=twelve, M=when.minute, S=when.second, ap="AM" if when.hour < 12 else "PM")
