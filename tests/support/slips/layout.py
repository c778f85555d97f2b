"""A slip and a house style come in, the rows of the printed receipt go out."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Literal

from tests.support.slips.rows import Bars, Cell, Columns, Gap, Pair, Row, Rule, Text
from tests.support.slips.slip import Item, Slip
from tests.support.slips.style import Money, Style, printed_date, printed_time


def rows(slip: Slip, style: Style) -> list[Row]:
    """Lay the slip out from the shop's name to the last line."""
    return [
        *_head(slip, style),
        *_items(slip, style),
        *_sums(slip, style),
        *_payment(slip, style),
        *_foot(slip, style),
    ]


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
    rates = [tax.rate for tax in slip.taxes]
    for item in slip.items:
        letter = f" {'ABCD'[rates.index(item.rate)]}" if style.letters and item.rate in rates else ""
        yield from _item(item, style, letter)
    yield Rule(style.rule)
    if style.words.count:
        yield Text(style.words.count.format(len(slip.items)))


def _item(item: Item, style: Style, letter: str) -> Iterator[Row]:
    money = style.money
    price, total = money.plain(item.unit_price), money.plain(item.total) + letter
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
    amount, bold = money.marked(slip.total), style.total_scale > 1
    if style.total_below:
        yield Text(words.total, scale=style.total_scale, bold=bold)
        yield Text(amount, "right", style.total_scale, bold)
    else:
        yield Pair(words.total, amount, style.total_scale, bold, style.leader)


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
        yield Pair(style.words.charged, style.money.marked(slip.total))
        yield Pair(date, time)
        yield Text("AID A0000000031010")
    yield Gap()
    yield from (Text(line, "center") for line in style.words.foot)
    if style.bars:
        yield Bars(style.bars)
