"""What a slip says: shop, goods, tax and payment come in as facts, every printed sum goes out by arithmetic."""

from dataclasses import dataclass
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal

CENT = Decimal("0.01")
NOTHING = Decimal(0)


@dataclass(frozen=True)
class Shop:
    """Who sold: the name as printed, the lines below it, and its tax number with its label."""

    name: str
    address: tuple[str, ...]
    phone: str = ""
    tax_id: str = ""


@dataclass(frozen=True)
class Item:
    """One printed line of goods; a discount is an item with a negative price."""

    name: str
    unit_price: Decimal
    quantity: Decimal = Decimal(1)
    rate: Decimal = NOTHING
    code: str = ""

    @property
    def total(self) -> Decimal:
        """Quantity times unit price, to the cent."""
        return rounded(self.quantity * self.unit_price)


@dataclass(frozen=True)
class Tax:
    """One rate in per cent, the net amount it was taken of, and the tax."""

    rate: Decimal
    net: Decimal
    amount: Decimal


@dataclass(frozen=True)
class Slip:
    """One purchase (or refund, with negative quantities); `total` is what the customer paid."""

    shop: Shop
    when: datetime
    currency: str
    items: tuple[Item, ...]
    number: str = ""
    tax_included: bool = True
    service: Decimal = NOTHING
    tip: Decimal = NOTHING
    round_to: Decimal = CENT
    """The smallest amount that can be paid: 0.05 in Malaysia and Switzerland."""
    payment: Literal["cash", "card"] = "card"
    tendered: Decimal | None = None
    """Cash handed over; None is paid exactly."""
    refund: bool = False

    @property
    def goods(self) -> Decimal:
        """The sum of the printed lines."""
        return sum((item.total for item in self.items), NOTHING)

    @property
    def taxes(self) -> tuple[Tax, ...]:
        """One line for each rate, highest first."""
        rates = sorted({item.rate for item in self.items if item.rate}, reverse=True)
        return tuple(self._tax(rate) for rate in rates)

    def _tax(self, rate: Decimal) -> Tax:
        amount = sum((item.total for item in self.items if item.rate == rate), NOTHING)
        if self.tax_included:
            net = rounded(amount / (1 + rate / 100))
            return Tax(rate, net, amount - net)
        return Tax(rate, amount, rounded(amount * rate / 100))

    @property
    def tax_total(self) -> Decimal:
        """The tax of all rates together."""
        return sum((tax.amount for tax in self.taxes), NOTHING)

    @property
    def net(self) -> Decimal:
        """The goods without tax."""
        return self.goods - (self.tax_total if self.tax_included else NOTHING)

    @property
    def exact(self) -> Decimal:
        """The amount due before it is rounded to what can be paid."""
        return self.goods + self.service + self.tip + (NOTHING if self.tax_included else self.tax_total)

    @property
    def total(self) -> Decimal:
        """The amount paid."""
        return rounded(self.exact, self.round_to)

    @property
    def rounding(self) -> Decimal:
        """What rounding added or took away."""
        return self.total - self.exact

    @property
    def change(self) -> Decimal:
        """Cash given back."""
        return NOTHING if self.tendered is None else self.tendered - self.total


def rounded(amount: Decimal, step: Decimal = CENT) -> Decimal:
    """Round half away from zero to a multiple of `step`, kept to two places."""
    return ((amount / step).quantize(Decimal(1), ROUND_HALF_UP) * step).quantize(CENT)
