"""A whole slip becomes a receipt with evidence, and says honestly what it does not know."""

from decimal import Decimal

import pytest

from contracts.receipts.receipt import SINGLE_FIELDS
from ledger_tasks.extraction.hints import Hints, MerchantHint
from tests.support.text_slips import lines, read

ENGLISH = """
The Copper Kettle
14 Harbour Street
Whitstable CT5 1AB
Tel: 01227 555 0148
VAT No: 318 4477 29
18/03/2025 09:42  Check 004417
Flat white  7.20
2 x £3.60
Almond croissant  3.25
Full breakfast  11.50
Subtotal  £21.95
Service  £2.00
TOTAL  £23.95
CASH  £30.00
CHANGE  £6.05
VAT @ 20% incl.  £3.99
"""

GERMAN = """
Landmarkt Köhler GmbH
Lindenstraße 4
38100 Braunschweig
UST-ID: DE 812 345 678
23.11.2024 18:02
Brot 750g  3,49 B
0,586 kg x 12,90 EUR/kg
Käse  7,56 B
SUMME EUR  11,05
BAR  20,00
Rückgeld  8,95
MwSt 7,00%  10,33  0,72
"""


def test_a_plain_slip_is_complete_with_every_must_field():
    receipt = read(ENGLISH)
    assert receipt.extraction_status == "complete"
    assert receipt.review_reasons == ()
    assert receipt.merchant.value == "The Copper Kettle"
    assert receipt.address.value == "14 Harbour Street Whitstable CT5 1AB"
    assert receipt.transaction_date.value == "2025-03-18"
    assert receipt.transaction_time.value == "09:42"
    assert receipt.total.value == "23.95"
    assert receipt.currency.value == "GBP"
    assert receipt.country.value == "GB"
    assert receipt.receipt_number.value == "004417"
    assert receipt.receipt_type.value == "purchase"
    assert receipt.phone.value == "01227 555 0148"
    assert receipt.subtotal.value == "21.95"
    assert receipt.service_charge.value == "2.00"
    assert receipt.change.value == "6.05"
    assert [item.description for item in receipt.items] == ["Flat white", "Almond croissant", "Full breakfast"]


def test_a_decimal_comma_slip_is_read_with_its_taxes():
    receipt = read(GERMAN)
    assert receipt.extraction_status == "complete"
    assert (receipt.transaction_date.value, receipt.total.value, receipt.currency.value) == (
        "2024-11-23",
        "11.05",
        "EUR",
    )
    assert [(line.rate, line.base, line.amount) for line in receipt.tax_lines] == [("7.00", "10.33", "0.72")]
    assert [(payment.method, payment.amount) for payment in receipt.payments] == [("cash", "20.00")]


def test_every_found_field_says_where_it_stands_and_who_read_it():
    receipt = read(ENGLISH)
    for name in ("merchant", "address", "transaction_date", "total", "subtotal", "receipt_number"):
        field = getattr(receipt, name)
        assert field.page == 1
        assert field.box
        assert field.raw
        assert field.source == "rapidocr"
        assert field.status == "ok"
    missing = [name for name in SINGLE_FIELDS if getattr(receipt, name).value is None]
    assert all(getattr(receipt, name).status == "missing" for name in missing)


@pytest.mark.case("C042")
def test_an_open_date_goes_to_review_with_both_candidates():
    receipt = read(
        """
        Corner Store
        03/04/2023 10:15
        Milk  $ 2.00
        TOTAL  $ 2.00
        CASH  $ 5.00
        CHANGE  $ 3.00
        """
    )
    assert receipt.extraction_status == "review"
    assert "DATE_AMBIGUOUS" in receipt.review_reasons
    assert receipt.transaction_date.value is None
    assert set(receipt.transaction_date.alternatives) == {"2023-04-03", "2023-03-04"}
    assert receipt.transaction_date.raw == "03/04/2023"


@pytest.mark.case("C042")
@pytest.mark.parametrize(
    ("place", "day"),
    [("Austin, TX 78701", "2023-03-04"), ("Bath BA1 5QT", "2023-04-03"), ("Toronto ON M5V 2T6", None)],
)
def test_the_country_decides_an_open_date_where_it_writes_one_way_only(place, day):
    receipt = read(f"Corner Store\n{place}\n03/04/2023 10:15\nTOTAL  2.00\nCASH  5.00\nCHANGE  3.00")
    assert receipt.transaction_date.value == day
    assert len(receipt.transaction_date.alternatives) == (0 if day else 2)


def test_what_people_confirmed_of_a_merchant_decides_date_and_currency_and_name():
    slip = """
        Corner Store
        03/04/2023 10:15
        Milk  2.00
        TOTAL  2.00
        CASH  5.00
        CHANGE  3.00
        """
    hint = MerchantHint(name="Corner Store Ltd.", date_order="MDY", currency="USD")
    receipt = read(slip, hints=Hints(revision="5f3a", merchants={"cornerstore": hint}))
    assert receipt.transaction_date.value == "2023-03-04"
    assert receipt.currency.value == "USD"
    assert receipt.merchant.value == "Corner Store Ltd."
    taught = "rule: earlier receipts of Corner Store Ltd. (5f3a)"
    assert {receipt.merchant.source, receipt.transaction_date.source, receipt.currency.source} == {taught}
    assert read(slip).currency.value is None


@pytest.mark.case("C034")
def test_a_quantity_that_does_not_give_its_price_is_flagged():
    wrong = read(GERMAN.replace("0,586 kg x 12,90 EUR/kg\nKäse  7,56 B", "Käse 9,586 kg x 12,90  7,56 B"))
    assert "ITEMS_MISMATCH" in wrong.review_reasons
    assert wrong.extraction_status == "review"


@pytest.mark.case("C037")
def test_no_text_is_unreadable_and_never_complete():
    receipt = read("")
    assert receipt.extraction_status == "unreadable"
    assert receipt.review_reasons == ("NO_TEXT",)


def test_a_slip_without_a_total_says_so():
    receipt = read("The Copper Kettle\n18/03/2025 09:42\nThank you")
    assert receipt.total.value is None
    assert "TOTAL_MISSING" in receipt.review_reasons


def test_a_total_with_one_witness_waits_for_a_second_reading():
    slip = """
        The Copper Kettle
        VAT No: 318 4477 29
        18/03/2025 09:42
        TOTAL  £23.95
        """
    assert read(slip).review_reasons == ("TOTAL_UNCONFIRMED",)
    assert read(slip, second=lines("18/03/2025\nTOTAL 23.95")).extraction_status == "complete"
    assert "TOTAL_UNCONFIRMED" in read(slip, second=lines("18/03/2025\nTOTAL 28.95")).review_reasons


def test_a_badly_read_page_is_not_trusted():
    assert "LOW_OCR_CONFIDENCE" in read(ENGLISH, confidence=0.6).review_reasons


def test_a_sum_that_contradicts_the_total_is_named():
    receipt = read(
        """
        Harbour Supplies Ltd
        18/03/2025 09:42
        Rope  10.00
        Subtotal  £10.00
        VAT  £2.00
        TOTAL  £21.00
        """
    )
    assert receipt.extraction_status == "review"
    assert "SUM_MISMATCH" in receipt.review_reasons


def test_a_refund_is_below_zero_and_known_as_one():
    receipt = read(
        """
        Ashcombe Books Ltd
        VAT No. 318 9920 44
        REFUND
        25/09/2024 15:02
        Atlas of Rivers  -34.99
        Gift wrap  -2.50
        TOTAL REFUND  -£37.49
        Refunded to card  -37.49
        """
    )
    assert receipt.receipt_type.value == "refund"
    assert receipt.total.value == "-37.49"


def test_goods_sold_are_not_returnable_is_no_refund():
    assert read(ENGLISH + "GOODS SOLD ARE NOT RETURNABLE. NO REFUND.").receipt_type.value == "purchase"


def test_the_rounded_total_is_what_was_paid():
    receipt = read(
        """
        KEDAI MELATI SDN BHD
        24/03/2018 09:12 PM
        Nasi  62.55
        Subtotal  62.55
        10% Svc Chg  6.25
        6% GST  4.13
        Total  72.93
        Rounding Adj  0.02
        Total After Rounding  72.95
        Cash  RM 73.00
        Change  0.05
        """
    )
    assert receipt.total.value == "72.95"
    assert receipt.rounding.value == "0.02"
    assert receipt.currency.value == "MYR"


def test_the_total_of_a_tax_summary_is_not_the_total():
    receipt = read(
        """
        KEDAI MELATI SDN BHD
        04/12/2017 16:15
        Cream  47.70
        Total Sales (Excluding GST)  45.00
        Total GST  2.70
        Total Sales (Inclusive of GST)  47.70
        CASH  47.70
        Change  0.00
        GST SUMMARY
        SR 6%  45.00  2.70
        Total  45.00  2.70
        """
    )
    assert receipt.total.value == "47.70"
    assert receipt.extraction_status == "complete"


def test_a_day_before_its_tax_or_currency_existed_is_not_believed():
    early = ENGLISH.replace("VAT No: 318 4477 29", "Melati Sdn Bhd GST ID: 000750673920").replace(
        "18/03/2025", "18/03/2013"
    )
    assert "DATE_IMPLAUSIBLE" in read(early).review_reasons
    assert "DATE_IMPLAUSIBLE" in read(GERMAN.replace("23.11.2024", "23.11.2001")).review_reasons
    assert "DATE_IMPLAUSIBLE" not in read(GERMAN).review_reasons


def test_hostile_amounts_of_text_are_bounded():
    receipt = read("\n".join(f"item {index}  1.00" for index in range(3000)))
    assert len(receipt.items) <= 300
    assert len(receipt.raw_text.encode()) <= 256 * 1024


@pytest.mark.parametrize(("coupon", "asked"), [("2.00", False), ("9.00", True)])
def test_more_than_a_third_off_is_left_to_a_person(coupon: str, asked: bool) -> None:
    paid = Decimal("20.00") - Decimal(coupon)
    slip = f"""
        Corner Shop Ltd
        Date 2026-08-13
        Tea  20.00
        Subtotal  20.00
        Coupon discount  {coupon}
        Grand Total  GBP {paid}
        Cash  {paid}
    """
    assert ("DISCOUNT_LARGE" in read(slip).review_reasons) is asked


SLIP = """
    Corner Shop Ltd
    Leeds LS2 8JF
    Date 2026-08-13 10:15
    Tea  12.00
    Cake  3.00
    TOTAL GBP  {total}
    {paid}
    {foot}
"""


@pytest.mark.parametrize(
    ("total", "paid", "reason"),
    [
        ("15.00", "VISA  15.00", None),
        ("15.00", "VISA  18.00", "PAYMENT_MISMATCH"),
        ("15.00", "CASH  20.00\nCHANGE  5.00", None),
        ("15.00", "CASH  5.00", "PAYMENT_MISMATCH"),
        ("3.00", "VISA  3.00", "SUM_MISMATCH"),
    ],
    ids=["card", "card-of-another-amount", "cash", "too-little-cash", "less-than-one-thing"],
)
def test_a_total_that_payment_or_goods_contradict_is_left_to_a_person(
    total: str, paid: str, reason: str | None
) -> None:
    receipt = read(SLIP.format(total=total, paid=paid, foot=""))
    assert receipt.review_reasons == (() if reason is None else (reason,))


@pytest.mark.parametrize(
    "line", ["Voucher valid until 2026-09-30", "Gutschein gültig bis 30.09.2025", "Vale válido hasta 30.09.2025"]
)
def test_the_end_of_an_offer_is_no_day_of_purchase(line: str) -> None:
    paid = "CASH  20.00\nCHANGE  5.00"
    assert read(SLIP.format(total="15.00", paid=paid, foot=line)).transaction_date.value == "2026-08-13"
    alone = read(SLIP.format(total="15.00", paid=paid, foot=line).replace("2026-08-13", ""))
    assert alone.extraction_status == "review"


@pytest.mark.parametrize(
    ("row", "due"),
    [
        ("Total inkl. MwSt.  63,18 EUR", "63.18"),
        ("Total Sales (Inclusive GST) RM  63.18", "63.18"),
        ("Total Sales  63.17\nRounding RM  0.01\nRounding  63.18", "63.18"),
    ],
)
def test_a_total_is_known_by_its_words_before_those_of_its_tax(row: str, due: str) -> None:
    receipt = read(f"Corner Shop Ltd\nDate 2026-08-13\nGoods  63.18\n{row}\nBar EUR  100,00\nRückgeld  36,82")
    assert receipt.total.value == due
    assert receipt.cash.value == "100.00"
