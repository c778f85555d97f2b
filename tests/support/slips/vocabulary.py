"""What a language and its countries know about slips: labels, goods, names, customs of printing; values only.

In every pattern `#` stands for a random digit.
"""

from dataclasses import dataclass
from decimal import Decimal

from tests.support.slips.style import Money


@dataclass(frozen=True)
class Region:
    """The customs of one country in one language."""

    currency: str
    moneys: tuple[Money, ...]
    dates: tuple[str, ...]
    """Patterns of `layout.printed_date`; `{month}` takes the short or long names of the language."""
    rates: tuple[str, ...]
    """Tax in per cent that goods carry."""
    places: tuple[str, ...]
    """The last line of an address."""
    tax_ids: tuple[str, ...]
    phones: tuple[str, ...]
    scale: Decimal = Decimal(1)
    """Prices of the language's goods times this."""
    tax_included: bool = True
    round_to: Decimal = Decimal("0.01")
    times: tuple[str, ...] = ("{H:02}:{M:02}", "{H:02}:{M:02}:{S:02}")
    streets: tuple[str, ...] = ()
    """Patterns of a street line; empty takes those of the language."""
    heads: tuple[str, ...] = ()
    foots: tuple[str, ...] = ()


@dataclass(frozen=True)
class Labels:
    """Every way in which shops of one language print a label."""

    total: tuple[str, ...]
    """{currency} is the code of the shop's currency, here and at cash."""
    subtotal: tuple[str, ...]
    net: tuple[str, ...]
    """The sum before tax, printed above the tax."""
    tax: tuple[str, ...]
    """{rate} is the per cent."""
    cash: tuple[str, ...]
    card: tuple[str, ...]
    change: tuple[str, ...]
    charged: tuple[str, ...]
    """The total again, on the slip of the card terminal."""
    rounding: tuple[str, ...]
    discount: tuple[str, ...]
    number: tuple[str, ...]
    date: tuple[str, ...]
    time: tuple[str, ...]
    header: tuple[tuple[str, str, str, str], ...]
    """Names of the columns: article, quantity, price, amount."""
    tax_header: tuple[tuple[str, str, str], ...]
    """Net, tax and gross above the table of taxes."""
    count: tuple[str, ...]
    until: tuple[str, ...]
    """A line with a later date that is not the date of the purchase: {} is that date."""
    saved: tuple[str, ...]
    """A line with an amount that is not the total: {} is that amount."""
    heads: tuple[str, ...]
    foots: tuple[str, ...]


@dataclass(frozen=True)
class Language:
    """One language: its labels, its goods with the price of a cheap and a dear one, and its countries."""

    regions: tuple[Region, ...]
    labels: Labels
    goods: tuple[tuple[str, str, str], ...]
    shops: tuple[str, ...]
    """Patterns of a shop's name; {} is a family or fantasy name."""
    names: tuple[str, ...]
    streets: tuple[str, ...]
    months: tuple[str, ...]
    short_months: tuple[str, ...]
