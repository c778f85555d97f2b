"""A language and a source of chance come in, one invented slip with its style and printer goes out."""

import re
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import ROUND_CEILING, Decimal
from random import Random
from typing import Literal

from tests.support.slips.languages import LANGUAGES, MIXED
from tests.support.slips.layout import Money, Style, Words, printed_date
from tests.support.slips.paint import FACES, Press, covers
from tests.support.slips.printed import Printed
from tests.support.slips.slip import CENT, NOTHING, Item, Shop, Slip, rounded
from tests.support.slips.vocabulary import Language, Region

FIRST, LAST = datetime(2023, 1, 2, 7), datetime(2026, 10, 31, 22)  # noqa: DTZ001  (a till prints local time)
LETTER_HEIGHTS = range(18, 31)
"""Pixels; at 203 dpi a thermal printer's small and large fonts."""
LINE_LENGTHS = range(32, 47)
"""Letters on a line: papers of 58 and 80 mm."""
WIDEST_IN_TABLE = 8
"""Letters of an amount that still fit in a table of four columns."""
NOTES = (5, 10, 20, 50)


def compose(language: str, chance: Random) -> Printed:
    """Invent one slip of `en`, `de`, `fr`, `es`, `ru` or `mixed`."""
    spoken = _mixed(chance) if language == MIXED else LANGUAGES[language]
    region = chance.choice(spoken.regions)
    money = chance.choice(region.moneys)
    slip = _slip(spoken, region, chance)
    style = _style(slip, spoken, region, money, chance)
    return _on_paper(slip, style, chance)


def _mixed(chance: Random) -> Language:
    """One language for the shop and its country, a second one beside it on labels and goods."""
    first, second = (LANGUAGES[code] for code in chance.sample(sorted(LANGUAGES), 2))
    mine, theirs = first.labels, second.labels

    def both(label: str) -> tuple[str, ...]:
        return tuple(f"{one} / {chance.choice(getattr(theirs, label))}" for one in getattr(mine, label))

    labels = replace(
        mine,
        total=both("total"),
        subtotal=both("subtotal"),
        cash=both("cash"),
        card=both("card"),
        change=both("change"),
        heads=theirs.heads,
        foots=mine.foots + theirs.foots,
    )
    return replace(first, labels=labels, goods=first.goods + second.goods)


def _slip(spoken: Language, region: Region, chance: Random) -> Slip:
    rate = Decimal(chance.choice(region.rates))
    rates = tuple(map(Decimal, region.rates)) if chance.random() < 0.5 else (rate,)
    lines = chance.choices(range(1, 10), weights=(2, 3, 4, 4, 3, 3, 2, 1, 1))[0]
    items = [_item(offer, region, chance.choice(rates), chance) for offer in chance.sample(spoken.goods, lines)]
    payment: Literal["cash", "card"] = chance.choice(("cash", "card"))
    slip = Slip(
        shop=_shop(spoken, region, chance),
        when=_moment(chance),
        currency=region.currency,
        items=tuple(items),
        number=digits(chance.choice(("####", "######", "##-####", "A#####", "#### ## ####")), chance),
        tax_included=region.tax_included,
        round_to=region.round_to if payment == "cash" else CENT,
        payment=payment,
    )
    if slip.goods > 5 * region.scale and chance.random() < 0.15:
        cut = -rounded(slip.goods * Decimal(chance.choice(("0.05", "0.1", "0.2"))), region.round_to)
        item = Item(chance.choice(spoken.labels.discount), cut, rate=items[0].rate)
        slip = replace(slip, items=(*slip.items, item))
    if region.currency == "USD" and chance.random() < 0.25:
        slip = replace(slip, tip=rounded(slip.goods / 6))
    return replace(slip, tendered=_tendered(slip.total, chance)) if payment == "cash" else slip


def _item(offer: tuple[str, str, str], region: Region, rate: Decimal, chance: Random) -> Item:
    name, low, high = offer
    price = Decimal(str(chance.uniform(float(low), float(high)))) * region.scale
    step = Decimal("0.1") if region.scale > 10 else max(region.round_to, CENT)
    quantity = Decimal(chance.choices((1, 2, 3, 4), weights=(12, 4, 2, 1))[0])
    return Item(name, rounded(price, step), quantity, rate, digits("######", chance))


def _shop(spoken: Language, region: Region, chance: Random) -> Shop:
    name = chance.choice(spoken.shops).format(chance.choice(spoken.names))
    street = chance.choice(region.streets or spoken.streets)
    line = street.format(n=chance.randint(1, 240), name=chance.choice(spoken.names))
    return Shop(
        name=name.upper() if chance.random() < 0.3 else name,
        address=(digits(line, chance), chance.choice(region.places)),
        phone=digits(chance.choice((*region.phones, "")), chance),
        tax_id=digits(chance.choice(region.tax_ids), chance),
    )


def _moment(chance: Random) -> datetime:
    moment = FIRST + timedelta(seconds=chance.randrange(int((LAST - FIRST).total_seconds())))
    return moment.replace(hour=chance.randint(7, 21))


def _tendered(total: Decimal, chance: Random) -> Decimal | None:
    """The notes a customer hands over; sometimes the exact amount."""
    if total <= 0 or chance.random() < 0.2:
        return None
    note = Decimal(chance.choice(NOTES)).scaleb(max(0, total.adjusted() - 1))
    return (total / note).to_integral_value(ROUND_CEILING) * note + Decimal("0.00")


def _style(slip: Slip, spoken: Language, region: Region, money: Money, chance: Random) -> Style:
    labels = spoken.labels
    pattern = chance.choice(region.dates)
    months = chance.choice((spoken.months, spoken.short_months))
    bare = Style(Words(months=months), date=pattern)
    words = Words(
        total=chance.choice(labels.total),
        subtotal=chance.choice(labels.subtotal),
        before_tax=chance.choice(labels.net),
        tax=chance.choice(labels.tax),
        tax_header=chance.choice(labels.tax_header),
        cash=chance.choice(labels.cash),
        card=chance.choice(labels.card),
        change=chance.choice(labels.change),
        rounding=chance.choice(labels.rounding),
        date=chance.choice(labels.date),
        time=chance.choice(labels.time),
        number=chance.choice(labels.number),
        header=chance.choice(labels.header),
        months=months,
        count=chance.choice((*labels.count, "", "", "")),
        head=_lines(labels.heads + region.heads, (0, 2), chance),
        foot=_foot(slip, bare, money, labels.until, labels.saved, labels.foots + region.foots, chance),
    )
    roomy: tuple[Literal["table"], ...] = ("table",) if len(money.plain(slip.total)) <= WIDEST_IN_TABLE else ()
    titles: tuple[Literal["plain", "large", "inverse", "left"], ...] = ("plain", "large", "large", "inverse", "left")
    return Style(
        words,
        money,
        date=pattern,
        time=chance.choice(region.times),
        when=chance.choice(("head", "split", "split", "foot", "card" if slip.payment == "card" else "foot")),
        items=chance.choice(("one", "two", "coded", "after", *roomy)),
        tax=chance.choice(("lines", "net", "foot", "none", *roomy)),
        subtotal=not slip.tax_included or chance.random() < 0.5,
        title=chance.choice(titles),
        rule=chance.choice(("-", "-", "=", "*", ".", "", "_")),
        leader=chance.choice(("", "", "", ".")),
        total_scale=chance.choice((1.0, 1.0, 1.2, 1.4, 1.7)),
        bars=tuple(chance.choice((2, 2, 3, 5)) for _ in range(61)) if chance.random() < 0.2 else (),
    )


def _foot(
    slip: Slip,
    style: Style,
    money: Money,
    until: tuple[str, ...],
    saved: tuple[str, ...],
    lines: tuple[str, ...],
    chance: Random,
) -> tuple[str, ...]:
    """The last lines, at times with a later date or another amount in them: neither is the truth."""
    extra = []
    if chance.random() < 0.12:
        later = slip.when + timedelta(days=chance.choice((14, 30, 60)))
        extra.append(chance.choice(until).format(printed_date(later, style)))
    if slip.goods > NOTHING and chance.random() < 0.15:
        extra.append(chance.choice(saved).format(money.plain(rounded(slip.goods / 9))))
    return (*extra, *_lines(lines, (1, 4), chance))


def _lines(lines: tuple[str, ...], between: tuple[int, int], chance: Random) -> tuple[str, ...]:
    return tuple(digits(line, chance) for line in chance.sample(lines, min(chance.randint(*between), len(lines))))


def digits(pattern: str, chance: Random) -> str:
    """Replace every # by a digit."""
    return re.sub("#", lambda _: str(chance.randint(0, 9)), pattern)


def _on_paper(slip: Slip, style: Style, chance: Random) -> Printed:
    size, letters = chance.choice(LETTER_HEIGHTS), chance.choice(LINE_LENGTHS)
    margin = chance.randint(12, 40)
    press = Press(
        face=chance.choices(list(FACES), weights=[face.share for face in FACES.values()])[0],
        size=size,
        width=round(size * 0.602 * letters) + 2 * margin,
        margin=margin,
        leading=chance.choice((1.2, 1.3, 1.45)),
    )
    printed = Printed(slip, style, press)
    if covers(press.face, printed.rows):
        return printed
    return replace(printed, press=replace(press, face="dejavu-mono"))
