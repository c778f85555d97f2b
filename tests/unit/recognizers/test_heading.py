"""The lines above a table in, its title, currency and period out; nothing is invented."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_tasks.recognizers.heading import Heading, read_heading

YEAR = (date(2026, 1, 1), date(2026, 12, 31))
QUARTER = (date(2026, 4, 1), date(2026, 6, 30))


@pytest.mark.parametrize(
    ("line", "period"),
    [
        ("за период с 01.04.2026 по 30.06.2026", QUARTER),
        ("from 2026-04-01 to 2026-06-30", QUARTER),
        ("за 2 квартал 2026 г.", QUARTER),
        ("Q2 2026", QUARTER),
        ("за Апрель 2026 г. - Июнь 2026 г.", QUARTER),
        ("April 2026 to June 2026", QUARTER),
        ("за 2026 г.", YEAR),
        ("for the year 2026", YEAR),
        ("за февраль 2028 г.", (date(2028, 2, 1), date(2028, 2, 29))),
        ("for May 2026", (date(2026, 5, 1), date(2026, 5, 31))),
        ("на 31.03.2026", (None, date(2026, 3, 31))),
        ("99.99.2026", (None, None)),
        ("за март 0000 г.", (None, None)),
        ("составил главный бухгалтер", (None, None)),
    ],
)
def test_the_period_is_read_in_the_ways_it_is_written(line, period):
    found = read_heading([line])
    assert (found.first_day, found.last_day) == period


@pytest.mark.parametrize(
    ("line", "currency"), [("тыс. руб.", "RUB"), ("Валюта: BYN", "BYN"), ("in €", "EUR"), ("in $", "USD"), ("", None)]
)
def test_the_currency_is_read(line, currency):
    assert read_heading([line]).currency == currency


def test_the_title_is_the_line_that_names_the_table():
    assert read_heading(["ООО «Ромашка»", "Trial balance"]).title == "Trial balance"
    assert read_heading([]) == Heading(None, None, None, None)


@given(st.lists(st.text() | st.from_regex(r"[0-9]{2}\.[0-9]{2}\.[0-9]{4}|(март|may|Q1) [0-9]{4}"), max_size=4))
def test_no_heading_breaks_the_reader(lines):
    found = read_heading(lines)
    assert found.first_day is None or found.last_day is None or found.first_day <= found.last_day
