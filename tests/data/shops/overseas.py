"""Sample receipts of Malaysia, the United States, Australia and Canada: invented shops, real customs."""

from decimal import Decimal

from tests.data.shops.facts import MONTHS, goods, when
from tests.support.slips.paint import Press
from tests.support.slips.printed import Printed
from tests.support.slips.slip import Shop, Slip
from tests.support.slips.style import Money, Style, Words

KEDAI = Printed(
    Slip(
        shop=Shop(
            "KEDAI KOPI MELATI SDN BHD",
            ("NO. 18, JALAN KENANGA 3", "43000 KAJANG, SELANGOR"),
            "TEL: 03-5550 8821",
            "SST ID: W10-1808-32000123",
        ),
        when=when("2023-12-15T14:31:22"),
        currency="MYR",
        number="CS00021877",
        items=goods("6", ("NASI LEMAK AYAM", "8.90", "2"), ("ROTI BAKAR SET", "21.45"), ("TEH TARIK", "5.13", "3")),
        tax_included=True,
        round_to=Decimal("0.05"),
        payment="cash",
        tendered=Decimal("60.00"),
    ),
    Style(
        Words(
            total="TOTAL (RM)",
            subtotal="SUB TOTAL",
            tax="SERVICE TAX {rate}% INCL.",
            rounding="ROUNDING ADJ",
            number="INV NO: ",
            date="DATE: ",
            count="ITEM(S): {}",
            foot=("TERIMA KASIH", "THANK YOU, PLEASE COME AGAIN"),
        ),
        Money(mark="RM {}"),
        date="{d:02}/{m:02}/{y}",
        time="{h}:{M:02}:{S:02} {ap}",
        when="split",
        items="coded",
        tax="foot",
        rule="=",
    ),
    Press("dejavu-mono", 20, 560),
)

DINER = Printed(
    Slip(
        shop=Shop("Blue Mesa Diner", ("2208 Route 66", "Flagstaff, AZ 86001"), "(928) 555-0117"),
        when=when("2024-07-27T12:49:00"),
        currency="USD",
        number="1093",
        items=goods("8.9", ("Green chile burger", "13.95"), ("Iced tea", "3.25", "2"), ("Peach pie", "6.50")),
        tax_included=False,
        tip=Decimal("5.00"),
        payment="card",
    ),
    Style(
        Words(total="TOTAL", tax="Sales Tax", number="Order #", card="VISA ****4417", foot=("Come back soon!",)),
        Money(mark="${}", everywhere=True),
        date="{m:02}/{d:02}/{y}",
        time="{h:02}:{M:02} {ap}",
        items="one",
        tax="lines",
        title="inverse",
    ),
    Press("liberation-mono", 24, 600),
)

MOTEL = Printed(
    Slip(
        shop=Shop(
            "Wattle Creek Motel", ("88 Old Coast Road", "Eden NSW 2551"), "Ph (02) 5550 1830", "ABN: 41 002 887 316"
        ),
        when=when("2024-04-19T09:12:00"),
        currency="AUD",
        number="2209",
        items=goods(
            "10",
            ("Room 6, 2 nights", "168.00", "2"),
            ("Breakfast tray", "19.50", "4"),
            ("Laundry", "12.00"),
            ("Late checkout", "30.00"),
        ),
        payment="card",
    ),
    Style(
        Words(
            total="TOTAL AUD",
            tax="Includes GST {rate}%",
            card="Mastercard ****2208",
            number="Tax Invoice ",
            months=MONTHS,
            date="Date ",
            foot=("Safe travels",),
        ),
        Money(mark="${}", thousands=","),
        date="{d} {month} {y}",
        when="split",
        items="two",
        tax="foot",
    ),
    Press("liberation-sans", 30, 900),
)

DEPANNEUR = Printed(
    Slip(
        shop=Shop("Maple Corner Store", ("450 King St", "Moncton NB"), "506-555-0161"),
        when=when("2023-04-03T10:26:00"),
        currency="CAD",
        number="60031",
        items=goods("15", ("Maple syrup 540ml", "11.49"), ("Coffee beans", "16.20"), ("Newspaper", "2.25")),
        tax_included=False,
        payment="card",
    ),
    Style(
        Words(tax="HST {rate}%", card="Debit", number="Inv ", foot=("Thank you / Merci",)),
        Money(mark="CAD {}"),
        date="{d:02}/{m:02}/{y}",
        items="one",
    ),
    Press("pt-mono", 24, 576),
)
