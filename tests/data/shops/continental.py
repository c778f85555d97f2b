"""Sample receipts of the continent: invented shops, real customs of printing."""

from decimal import Decimal

from tests.data.shops.facts import goods, when
from tests.support.slips.paint import Press
from tests.support.slips.printed import Printed
from tests.support.slips.slip import Shop, Slip
from tests.support.slips.style import Money, Style, Words

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

BOULANGERIE = Printed(
    Slip(
        shop=Shop(
            "Boulangerie Aubépine", ("12 rue des Tanneurs", "37000 TOURS"), "02 55 50 17 41", "SIRET 552 081 317 00024"
        ),
        when=when("2025-08-09T07:53:00"),
        currency="EUR",
        number="20418",
        items=goods(
            "5.5",
            ("Baguette tradition", "1.35", "3"),
            ("Croissant beurre", "1.25", "4"),
            ("Tarte aux fraises", "18.90"),
        ),
        payment="cash",
        tendered=Decimal("50.00"),
    ),
    Style(
        Words(
            total="TOTAL TTC",
            before_tax="Total HT",
            tax="TVA {rate}%",
            cash="ESPECES",
            change="RENDU",
            number="Ticket n° ",
            date="Le ",
            foot=("Merci de votre visite", "Fermé le lundi"),
        ),
        Money(",", " ", "{} €", everywhere=True),
        time="{H:02}h{M:02}",
        when="split",
        items="after",
        tax="net",
        subtotal=False,
    ),
    Press("pt-mono", 24, 600),
)

FERRETERIA = Printed(
    Slip(
        shop=Shop(
            "Ferretería Villalba S.L.", ("C/ del Olmo 31", "50001 Zaragoza"), "Tel. 976 555 208", "NIF B-50417733"
        ),
        when=when("2024-02-14T17:20:00"),
        currency="EUR",
        number="T-10377",
        items=goods(
            "21",
            ("Taladro 18V", "119.00"),
            ("Tornillos 5x60", "6.49", "2"),
            ("Cinta métrica", "7.95"),
            ("Descuento", "-5.00"),
        ),
        payment="card",
    ),
    Style(
        Words(
            total="TOTAL A PAGAR",
            subtotal="Suma",
            tax_header=("Base imp.", "IVA", "Total"),
            card="TARJETA",
            number="Factura simplificada ",
            date="Fecha: ",
            time="Hora: ",
            header=("Artículo", "Uds", "Precio", "Importe"),
            foot=("Gracias por su compra",),
        ),
        Money(",", ".", "{} €"),
        date="{d:02}-{m:02}-{y}",
        when="split",
        items="table",
        tax="table",
    ),
    Press("liberation-mono", 22, 640),
)

GASTRONOM = Printed(
    Slip(
        shop=Shop(
            "ООО «Северная нива»", ("ул. Садовая, д. 14", "г. Ярославль"), "тел. 8 (4852) 555-017", "ИНН 7604118820"
        ),
        when=when("2023-10-30T19:05:00"),
        currency="RUB",
        number="118",
        items=(
            *goods("10", ("Хлеб ржаной", "54.90"), ("Молоко 3,2% 1л", "89.50", "2"), ("Сыр Российский", "412.00")),
            *goods("20", ("Порошок стиральный", "349.00")),
        ),
        payment="cash",
        tendered=Decimal("1000.00"),
    ),
    Style(
        Words(
            total="ИТОГО",
            tax="В т.ч. НДС {rate}%",
            cash="НАЛИЧНЫМИ",
            change="СДАЧА",
            number="Чек № ",
            head=("КАССОВЫЙ ЧЕК / ПРИХОД", "Кассир: Орлова Т. Н."),
            foot=("ФН № 9281440301517722", "ФД № 40117  ФП: 1930448217", "СПАСИБО ЗА ПОКУПКУ!"),
        ),
        Money(".", "", "={}"),
        date="{d:02}.{m:02}.{yy}",
        items="two",
        tax="foot",
        subtotal=False,
        title="plain",
    ),
    Press("dejavu-mono", 24, 576),
)

PAPETERIE = Printed(
    Slip(
        shop=Shop(
            "Papeterie Kaltenegger AG", ("Marktgasse 40", "3011 Bern"), "Tel. 031 555 18 20", "CHE-114.208.733 MWST"
        ),
        when=when("2025-11-27T16:44:00"),
        currency="CHF",
        number="77120",
        items=goods(
            "8.1", ("Bürostuhl Linea", "1149.00"), ("Füller M", "48.90", "2"), ("Papier A4 (je Blatt)", "0.12", "7")
        ),
        round_to=Decimal("0.05"),
        payment="cash",
        tendered=Decimal("1300.00"),
    ),
    Style(
        Words(
            total="TOTAL",
            subtotal="Zwischensumme",
            tax="inkl. {rate}% MWST",
            cash="Bar",
            change="Rückgeld",
            rounding="Rundung",
            number="Beleg ",
            foot=("Merci und auf Wiedersehen",),
        ),
        Money(".", "'", "CHF {}"),
        date="{d}.{m}.{y}",
        items="after",
        tax="foot",
        title="left",
    ),
    Press("liberation-sans", 26, 620),
)
