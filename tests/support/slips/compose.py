"""A language and a source of chance come in, one invented slip with its style and printer goes out."""

from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Literal

from tests.support.slips.invent import digits, invent
from tests.support.slips.languages import LANGUAGES, MIXED
from tests.support.slips.paint import FACES, Press, covers
from tests.support.slips.printed import Printed
from tests.support.slips.slip import NOTHING, Slip, rounded
from tests.support.slips.style import Money, Style, Words, printed_date
from tests.support.slips.vocabulary import Language, Region

LETTER_HEIGHTS = range(18, 31)
"""Pixels; at 203 dpi a thermal printer's small and large fonts."""
LINE_LENGTHS = range(32, 47)
"""Letters on a line: papers of 58 and 80 mm."""
WIDEST_IN_TABLE = 8
"""Letters of an amount that still fit in a table of four columns."""


def compose(language: str, chance: Random) -> Printed:
    """Invent one slip of `en`, `de`, `fr`, `es`, `ru` or `mixed`."""
    spoken = _mixed(chance) if language == MIXED else LANGUAGES[language]
    region = chance.choice(spoken.regions)
    money = chance.choice(region.moneys)
    slip = invent(spoken, region, chance)
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


def _style(slip: Slip, spoken: Language, region: Region, money: Money, chance: Random) -> Style:
    labels = spoken.labels
    pattern = chance.choice(region.dates)
    months = chance.choice((spoken.months, spoken.short_months))
    bare = Style(Words(months=months), date=pattern)
    words = Words(
        total=chance.choice(labels.total).format(currency=region.currency),
        subtotal=chance.choice(labels.subtotal),
        before_tax=chance.choice(labels.net),
        tax=chance.choice(labels.tax),
        tax_header=chance.choice(labels.tax_header),
        cash=chance.choice(labels.cash).format(currency=region.currency),
        card=chance.choice(labels.card),
        change=chance.choice(labels.change),
        charged=chance.choice(labels.charged),
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
        total_below=chance.random() < 0.08,
        letters=chance.random() < 0.25,
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
