"""What people confirmed becomes hints about the merchant; what they contradict stays open."""

from datetime import date

from ledger_tasks.discovery.teaching import learn
from ledger_tasks.extraction.hints import Hints, MerchantHint
from ledger_tasks.storage.lessons import Lesson

TODAY = date(2026, 8, 14)


def lesson(read="CORNER ST0RE", merchant="Corner Store", raw="03/04/2023", day="2023-03-04", currency="USD"):
    return Lesson(read, merchant, raw, day, currency)


def test_a_confirmed_receipt_teaches_name_order_and_currency_under_both_spellings():
    hint = MerchantHint(name="Corner Store", date_order="MDY", currency="USD")
    assert learn([lesson()], TODAY).merchants == {"cornerst0re": hint, "cornerstore": hint}


def test_a_day_that_both_orders_give_and_a_named_month_teach_no_order():
    for raw, day in (("04/04/2023", "2023-04-04"), ("3 Apr 2023", "2023-04-03"), ("", "2023-04-03")):
        assert learn([lesson(raw=raw, day=day)], TODAY).merchants["cornerstore"].date_order is None


def test_lessons_that_contradict_each_other_leave_the_fact_open_and_the_others_known():
    taught = learn([lesson(currency="USD"), lesson(currency="CAD")], TODAY).merchants["cornerstore"]
    assert taught == MerchantHint(name="Corner Store", date_order="MDY")


def test_a_fact_that_nobody_confirmed_and_a_scrap_of_a_name_teach_nothing():
    assert learn([Lesson("AB", None, None, None, None), Lesson("Abcd", None, None, None, None)], TODAY) == Hints()
