"""Sample receipts of Britain and Ireland: invented shops, real customs of printing."""

from decimal import Decimal

from tests.data.shops.facts import MONTHS, goods, when
from tests.support.slips.paint import Press
from tests.support.slips.printed import Printed
from tests.support.slips.slip import Shop, Slip
from tests.support.slips.style import Money, Style, Words

CAFE = Printed(
    Slip(
        shop=Shop(
            "The Copper Kettle",
            ("14 Harbour Street", "Whitstable CT5 1AB"),
            "Tel: 01227 555 0148",
            "VAT No: 318 4477 29",
        ),
        when=when("2025-03-18T09:42:00"),
        currency="GBP",
        number="004417",
        items=goods(
            "20",
            ("Flat white", "3.60", "2"),
            ("Almond croissant", "3.25"),
            ("Full breakfast", "11.50"),
            ("Orange juice", "3.40"),
        ),
        payment="card",
    ),
    Style(
        Words(
            subtotal="Subtotal",
            tax="VAT @ {rate}% incl.",
            card="Contactless",
            number="Check ",
            foot=("Thank you", "See you again soon"),
        ),
        Money(mark="£{}", everywhere=True),
        date="{d:02}/{m:02}/{y}",
        items="after",
        tax="foot",
    ),
    Press("dejavu-mono", 22, 576),
)

RAIL = Printed(
    Slip(
        shop=Shop(
            "Northline Rail", ("Station Approach, York YO24 1AA",), "help@northline.example", "VAT Reg. 604 2218 37"
        ),
        when=when("2026-01-09T06:58:00"),
        currency="GBP",
        number="NL-7730-2241",
        items=goods("0", ("Return York - Leeds", "18.40"), ("Seat reservation", "2.50", "2"), ("Bicycle", "4.00")),
        payment="card",
    ),
    Style(
        Words(
            number="Receipt ",
            months=MONTHS,
            date="Date: ",
            card="Paid by card",
            foot=("This is a receipt, not a ticket.",),
        ),
        Money(mark="GBP {}"),
        date="{d} {month} {y}",
        when="split",
        items="table",
        tax="none",
        subtotal=False,
    ),
    Press(),
)

TRATTORIA = Printed(
    Slip(
        shop=Shop("Trattoria Santacruz", ("71 Bridge Street", "Leeds LS2 8JF"), "0113 496 0188", "VAT No. 771 4420 18"),
        when=when("2025-02-22T21:36:00"),
        currency="GBP",
        number="441",
        items=goods(
            "20",
            ("Gnocchi", "13.50", "2"),
            ("House red 500ml", "16.00"),
            ("Tiramisu", "6.75"),
            ("Espresso", "2.60", "2"),
        ),
        service=Decimal("6.87"),
        payment="card",
    ),
    Style(
        Words(
            total="TOTAL",
            subtotal="Food and drink",
            service="Service 12.5%",
            card="Card",
            number="Bill ",
            foot=("Grazie!",),
        ),
        Money(mark="£{}", everywhere=True),
        date="{d:02}.{m:02}.{y}",
        tax="none",
        title="plain",
    ),
    Press("dejavu-mono", 24, 600),
)

PUB = Printed(
    Slip(
        shop=Shop("The Brindled Hare", ("2 Chapel Hill", "Norwich NR3 1LD"), "01603 555 0190", "VAT Reg: GB 604881230"),
        when=when("2023-12-29T22:17:00"),
        currency="GBP",
        number="9915",
        items=goods("20", ("Pale ale pint", "5.40", "4"), ("Scampi and chips", "14.95"), ("Crisps", "1.60", "2")),
        payment="cash",
        tendered=Decimal("50.00"),
    ),
    Style(
        Words(subtotal="Subtotal", tax="VAT {rate}% incl", number="Tab ", foot=("Cheers!",)),
        Money(mark="£{}"),
        tax="foot",
        total_scale=1.5,
    ),
    Press("liberation-mono", 28, 640),
)

REFUND = Printed(
    Slip(
        shop=Shop("Ashcombe Books", ("9 Museum Row", "Bath BA1 5QT"), "01225 555 0133", "VAT No. 318 9920 44"),
        when=when("2024-09-25T15:02:00"),
        currency="GBP",
        number="R-0417",
        items=goods("0", ("Atlas of Rivers", "34.99", "-1"), ("Gift wrap", "2.50", "-1")),
        payment="card",
        refund=True,
    ),
    Style(
        Words(total="TOTAL REFUND", card="Refunded to card", number="Refund ", foot=("Original receipt 29114",)),
        Money(mark="£{}"),
        items="two",
        tax="none",
        subtotal=False,
    ),
    Press("dejavu-mono", 22, 576),
)

TOOLS = Printed(
    Slip(
        shop=Shop(
            "Coppice Tool Hire", ("Unit 7, Kestrel Way", "Cardiff CF11 9AE"), "029 2018 0177", "VAT No. 220 7713 05"
        ),
        when=when("2025-07-04T08:31:00"),
        currency="GBP",
        number="H-55102",
        items=goods(
            "20",
            ("Wood chipper, day", "86.00"),
            ("Fuel", "11.20"),
            ("Gloves", "6.99", "2"),
            ("Delivery", "15.00"),
            ("Ear defenders", "4.50"),
        ),
        payment="card",
    ),
    Style(
        Words(tax="VAT {rate}%", number="Hire no. "),
        Money(mark="£{}"),
        date="{d:02}/{m:02}/{y}",
        items="two",
        when="split",
    ),
    Press("liberation-mono", 24, 600),
)

GARDEN = Printed(
    Slip(
        shop=Shop(
            "Larkspur Garden Centre",
            ("Mill Lane", "Bandon, Co. Cork P72 K8X4"),
            "Tel 023 555 0142",
            "VAT No IE4417720T",
        ),
        when=when("2026-05-16T13:08:00"),
        currency="EUR",
        number="30117",
        items=goods("13.5", ("Lavender 3L", "8.95", "4"), ("Compost 50L", "9.50", "2"), ("Clay pot 30cm", "14.00")),
        payment="card",
    ),
    Style(
        Words(total="TOTAL", tax="VAT {rate}%", card="VISA DEBIT", number="Receipt ", count="Items: {}"),
        Money(mark="€{}", everywhere=True),
        items="after",
        tax="foot",
        when="head",
    ),
    Press("liberation-mono", 26, 640),
)
