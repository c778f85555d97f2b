"""The shops of the sample receipts: invented names, real customs of printing."""

from calendar import month_name
from datetime import datetime
from decimal import Decimal

from tests.support.slips.layout import Money, Style, Words
from tests.support.slips.paint import Press
from tests.support.slips.printed import Printed
from tests.support.slips.slip import Item, Shop, Slip


def when(text: str) -> datetime:
    """The local time that the till printed."""
    return datetime.fromisoformat(text)


def goods(rate: str, *lines: tuple[str, str] | tuple[str, str, str]) -> tuple[Item, ...]:
    """Items of one tax rate: name, unit price, and quantity where it is not 1."""
    tax = Decimal(rate)
    return tuple(
        Item(name, Decimal(price), Decimal(quantity[0] if quantity else 1), tax) for name, price, *quantity in lines
    )


MONTHS = tuple(month_name[1:])

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

SUPERMARKT = Printed(
    Slip(
        shop=Shop(
            "Landmarkt Köhler", ("Lindenallee 27", "04177 Leipzig"), "Tel. 0341 5550 192", "USt-IdNr. DE 299 104 586"
        ),
        when=when("2024-11-23T18:07:00"),
        currency="EUR",
        number="8841",
        items=(
            *goods(
                "7",
                ("Vollmilch 3,5%", "1.19", "2"),
                ("Roggenbrot 750g", "3.49"),
                ("Bergkäse", "4.85"),
                ("Äpfel Elstar", "2.99"),
            ),
            *goods("19", ("Spülmittel", "1.95"), ("Küchenrolle", "2.75")),
        ),
        payment="cash",
        tendered=Decimal("20.00"),
    ),
    Style(
        Words(
            total="SUMME",
            subtotal="Zwischensumme",
            tax="MwSt. {rate}%",
            tax_header=("Netto", "MwSt.", "Brutto"),
            cash="Bar",
            change="Rückgeld",
            number="Bon-Nr. ",
            foot=("Vielen Dank für Ihren Einkauf", "Mo-Sa 7-21 Uhr"),
        ),
        Money(",", ".", "EUR {}"),
        date="{d:02}.{m:02}.{y}",
        time="{H:02}:{M:02} Uhr",
        when="foot",
        items="two",
        tax="table",
        subtotal=False,
    ),
    Press("liberation-mono", 22, 576),
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

BAUMARKT = Printed(
    Slip(
        shop=Shop("Holz & Eisen Brandt GmbH", ("Werkstraße 5", "24143 Kiel"), "", "Steuernr. 20/291/33017"),
        when=when("2023-06-02T11:15:00"),
        currency="EUR",
        number="B-119320",
        items=goods(
            "19",
            ("Kantholz 60x80", "7.45", "6"),
            ("Schrauben 5x60", "12.99"),
            ("Akkuschrauber 18V", "1149.00"),
            ("Rabatt", "-25.00"),
        ),
        payment="card",
    ),
    Style(
        Words(
            total="Gesamtbetrag",
            subtotal="Zwischensumme",
            tax="enth. Umsatzsteuer {rate}%",
            card="EC-Karte",
            number="Beleg ",
            date="Datum: ",
            header=("Artikel", "Menge", "Preis", "Betrag"),
            foot=("Umtausch innerhalb von 14 Tagen",),
        ),
        Money(",", ".", "{} EUR"),
        date="{d:02}.{m:02}.{yy}",
        when="split",
        items="table",
        tax="foot",
        title="left",
        rule="",
    ),
    Press("liberation-sans", 24, 640),
)

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
