"""A date is read in each form that receipts print, keeps both days where two are possible, and is never invented."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_tasks.extraction.dates import dates, is_damaged_or_far
from ledger_tasks.extraction.dating import dated
from ledger_tasks.extraction.lines import Line, rows

TODAY = date(2026, 11, 30)


def read(text):
    return [{day.isoformat() for _, day in found.days} for found in dates(text, TODAY)]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("25/12/2018", "2018-12-25"),
        ("12/25/2018", "2018-12-25"),
        pytest.param("2023-04-03", "2023-04-03", marks=pytest.mark.case("C043")),
        pytest.param("18.11.17", "2017-11-18", marks=pytest.mark.case("C044")),
        pytest.param("80101911/26.06.2025", "2025-06-26", marks=pytest.mark.case("C045")),
        ("03.04.2023", "2023-04-03"),
        ("27032018", "2018-03-27"),
        ("20180327", "2018-03-27"),
        ("18:1524/05/18", "2018-05-24"),
        ("28/02/20173:43:01PM", "2017-02-28"),
        ("2018/02/2213:34:14", "2018-02-22"),
        ("#1- 25/05/2018 18:12", "2018-05-25"),
        ("25~05-17", "2017-05-25"),
        ("22 / 12 / 2017", "2017-12-22"),
        ("DATE:30/3/2018:12:01", "2018-03-30"),
        ("25 05 2018", "2018-05-25"),
        ("25/O5/2O18", "2018-05-25"),
        ("l5/05/2018", "2018-05-15"),
        ("05 MAR 2018", "2018-03-05"),
        ("15/APR/2017", "2017-04-15"),
        ("Mar 5, 2018", "2018-03-05"),
        ("5th March 2018", "2018-03-05"),
        ("12. März 2022", "2022-03-12"),
        ("23. 0ktober 2025", "2025-10-23"),
        ("05 N0V 2018", "2018-11-05"),
        ("07-August-2314:12:56", "2023-08-07"),
        ("14 Dec 202309:51:50", "2023-12-14"),
        ("16-May-2415:25", "2024-05-16"),
        ("May 16, 20249:15", "2024-05-16"),
        ("28.Aug: 2026", "2026-08-28"),
        ("15 ‘июля 2026 г.", "2026-07-15"),
        ("30 Mar 2018:12:01", "2018-03-30"),
        ("14 Dec 2023 09:51", "2023-12-14"),
        ("3 février 2021", "2021-02-03"),
        ("5 de marzo de 2020", "2020-03-05"),
        ("12 января 2020", "2020-01-12"),
    ],
)
def test_a_date_in_any_printed_form_is_one_day(text, day):
    assert read(text) == [{day}]


@pytest.mark.case("C042")
def test_a_date_that_may_be_two_days_keeps_both():
    assert read("03/04/2023") == [{"2023-04-03", "2023-03-04"}]


@pytest.mark.case("C048")
def test_a_damaged_day_is_no_date():
    assert read('9" June 2014') == []
    assert is_damaged_or_far('9" June 2014', TODAY)


@pytest.mark.case("C045")
@pytest.mark.parametrize("text", ["01/01/2035", "26.06.1911", "31.12.1989"])
def test_a_date_in_the_future_or_before_1990_is_no_candidate(text):
    assert read(text) == []
    assert is_damaged_or_far(text, TODAY)


@pytest.mark.parametrize("text", ["31/02/2018", "192.168.1.12", "12:30:45", "03-1234-5678", "1.234.56", "Tel 03/12345"])
def test_what_is_no_date_is_none(text):
    assert read(text) == []


def choose(*texts, order=None):
    lines = [Line(text, 1.0, (0, 40 * index, 200, 40 * index + 30)) for index, text in enumerate(texts)]
    return dated(rows(lines), TODAY, order)


def test_the_order_of_a_country_decides_an_open_date():
    assert choose("03/04/2023", order="DMY").day == date(2023, 4, 3)
    assert choose("03/04/2023", order="MDY").day == date(2023, 3, 4)


def test_another_date_of_the_same_receipt_shows_the_order():
    assert choose("Date 03/04/2023", "printed 25/03/2023").day == date(2023, 4, 3)


def test_without_evidence_the_day_stays_open():
    found = choose("03/04/2023")
    assert found.day is None
    assert set(found.candidates) == {date(2023, 4, 3), date(2023, 3, 4)}


def test_an_expiry_is_not_the_day_of_the_purchase():
    assert choose("Voucher valid until 31/12/2023", "15/08/2023 12:01").day == date(2023, 8, 15)


def test_a_labelled_date_beats_a_bare_one():
    assert choose("21.05.2019", "Datum: 22.05.2019 18:01").day == date(2019, 5, 22)


@given(st.dates(min_value=date(1990, 1, 1), max_value=TODAY), st.sampled_from(["%d.%m.%Y", "%Y-%m-%d", "%d %b %Y"]))
def test_every_day_written_plainly_is_read_back(day, style):
    assert read(day.strftime(style)) == [{day.isoformat()}]


@given(st.text(max_size=60))
def test_no_text_makes_the_reader_of_dates_fail(text):
    dates(text, TODAY)
    is_damaged_or_far(text, TODAY)
