"""A language, a country and a source of chance come in, the facts of one purchase go out."""

import re
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import ROUND_CEILING, Decimal
from random import Random
from typing import Literal

from tests.support.slips.slip import CENT, Item, Shop, Slip, rounded
from tests.support.slips.vocabulary import Language, Region

FIRST, LAST = datetime(2023, 1, 2, 7), datetime(2026, 10, 31, 22)  # noqa: DTZ001  (a till prints local time)
NOTES = (5, 10, 20, 50)


def invent(spoken: Language, region: Region, chance: Random) -> Slip:
    """Buy one to nine things at a shop of this country."""
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


def digits(pattern: str, chance: Random) -> str:
    """Replace every # by a digit."""
    return re.sub("#", lambda _: str(chance.randint(0, 9)), pattern)
