"""A slip and a house style come in, the rows of the printed receipt go out."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Literal

from tests.support.slips.paint import Bars, Cell, Columns, Gap, Pair, Row, Rule, Text
from tests.support.slips.slip import Item, Slip

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
    bars: tuple[int, ...] = ()


def rows(slip: Slip, style: Style) -> list[Row]:
    """Lay the slip out from the shop's name to the last line."""
    return [
        *_head(slip, style),
        *_items(slip, style),
        *_sums(slip, style),
        *_payment(slip, style),
        *_foot(slip, style),
    ]


def printed_date(when: datetime, style: Style) -> str:
    """The date as this shop prints it."""
    month = style.words.months[when.month - 1] if style.words.months else ""
    return style.date.format(d=when.day, m=when.month, y=when.year, yy=f"{when.year % 100:02}", month=month)


def printed_time(when: datetime, style: Style) -> str:
    """The time as this shop prints it."""
    twelve = (when.hour + 11) % 12 + 1
    return style.time.format(H=when.hour, h=twelve, M=when.minute, S=when.second, ap="AM" if when.hour < 12 else "PM")


def _when(slip: Slip, style: Style) -> tuple[str, str]:
    words = style.words
    return words.date + printed_date(slip.when, style), words.time + printed_time(slip.when, style)


def _head(slip: Slip, style: Style) -> Iterator[Row]:
    shop, words = slip.shop, style.words
    align: Literal["left", "center"] = "left" if style.title == "left" else "center"
    scale = 1.6 if style.title in {"large", "inverse"} else 1.1
    yield Text(shop.name, align, scale, bold=style.title != "plain", inverse=style.title == "inverse")
    yield from (Text(line, align) for line in (*shop.address, shop.phone, shop.tax_id) if line)
    yield Gap()
    if slip.refund:
        yield Text(words.refund, "center", 1.3, bold=True)
    date, time = _when(slip, style)
    number = words.number + slip.number
    match style.when:
        case "head":
            yield Pair(f"{date} {time}", slip.number and number)
        case "split":
            yield Pair(number, "")
            yield Pair(date, time)
        case "foot" | "card":
            yield Text(number)
    yield from (Text(line) for line in words.head)
    yield Rule(style.rule)


def _items(slip: Slip, style: Style) -> Iterator[Row]:
    if style.items == "table":
        name, quantity, price, amount = style.words.header
        yield Columns(
            (Cell(name, 0), Cell(quantity, 0.56, "right"), Cell(price, 0.77, "right"), Cell(amount, 1, "right"))
        )
        yield Rule(style.rule)
    for item in slip.items:
        yield from _item(item, style)
    yield Rule(style.rule)
    if style.words.count:
        yield Text(style.words.count.format(len(slip.items)))


def _item(item: Item, style: Style) -> Iterator[Row]:
    money = style.money
    price, total = money.plain(item.unit_price), money.plain(item.total)
    quantity = f"{item.quantity:f}".replace(".", money.decimal)
    match style.items:
        case "one":
            yield Pair(item.name if item.quantity == 1 else f"{quantity} x {item.name}", total, cut=True)
        case "two":
            yield Text(item.name)
            yield Pair(f"  {quantity} x {price}", total)
        case "after":
            yield Pair(item.name, total, cut=True)
            if item.quantity != 1:
                yield Text(f"   {quantity} x {price}")
        case "coded":
            yield Text(f"{item.code} {item.name}")
            yield Columns((Cell(quantity, 0.3, "right"), Cell(price, 0.6, "right"), Cell(total, 1, "right")))
        case "table":
            yield Columns(
                (Cell(item.name, 0), Cell(quantity, 0.56, "right"), Cell(price, 0.77, "right"), Cell(total, 1, "right"))
            )


def _sums(slip: Slip, style: Style) -> Iterator[Row]:
    words, money = style.words, style.money
    if style.subtotal:
        yield Pair(words.subtotal, money.plain(slip.goods), leader=style.leader)
    if slip.service:
        yield Pair(words.service, money.plain(slip.service), leader=style.leader)
    if style.tax == "net":
        yield Pair(words.before_tax, money.plain(slip.net), leader=style.leader)
    if style.tax in {"lines", "net"} or not slip.tax_included:
        yield from _tax_lines(slip, style)
    if slip.tip:
        yield Pair(words.tip, money.plain(slip.tip), leader=style.leader)
    if slip.rounding:
        yield Pair(words.rounding, money.plain(slip.rounding), leader=style.leader)
    yield Pair(
        words.total, money.marked(slip.total), style.total_scale, bold=style.total_scale > 1, leader=style.leader
    )


def _payment(slip: Slip, style: Style) -> Iterator[Row]:
    words, money = style.words, style.money
    if slip.payment == "card":
        yield Pair(words.card, money.plain(slip.total))
    else:
        yield Pair(words.cash, money.plain(slip.total if slip.tendered is None else slip.tendered))
        yield Pair(words.change, money.plain(slip.change))
    yield Rule(style.rule)
    if slip.tax_included and style.tax == "table":
        yield _tax_row("%", *words.tax_header)
        for tax in slip.taxes:
            amounts = (money.plain(amount) for amount in (tax.net, tax.amount, tax.net + tax.amount))
            yield _tax_row(_rate(tax.rate, money) + "%", *amounts)
        yield Rule(style.rule)
    elif slip.tax_included and style.tax == "foot":
        yield from _tax_lines(slip, style)


def _tax_lines(slip: Slip, style: Style) -> Iterator[Row]:
    for tax in slip.taxes:
        label = style.words.tax.format(rate=_rate(tax.rate, style.money))
        yield Pair(label, style.money.plain(tax.amount), leader=style.leader)


def _rate(rate: Decimal, money: Money) -> str:
    return f"{rate:f}".replace(".", money.decimal)


def _tax_row(rate: str, net: str, tax: str, gross: str) -> Columns:
    return Columns((Cell(rate, 0), Cell(net, 0.45, "right"), Cell(tax, 0.72, "right"), Cell(gross, 1, "right")))


def _foot(slip: Slip, style: Style) -> Iterator[Row]:
    date, time = _when(slip, style)
    if style.when == "foot":
        yield Text(f"{date}  {time}", "center")
    elif style.when == "card":
        yield Gap()
        yield Text("VISA  **** **** **** 4417")
        yield Pair(date, time)
        yield Text("AID A0000000031010")
    yield Gap()
    yield from (Text(line, "center") for line in style.words.foot)
    if style.bars:
        yield Bars(style.bars)
