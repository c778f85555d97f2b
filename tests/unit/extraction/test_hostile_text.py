"""No text, however it is made, takes longer than a receipt may."""

import time
from random import Random

import pytest

from ledger_tasks.extraction.hints import Hints
from ledger_tasks.extraction.lines import Line
from ledger_tasks.extraction.receipt import extract
from tests.support.text_slips import TODAY

SECONDS = 5.0
"""CPU; usually a twentieth of it."""


@pytest.mark.parametrize(
    "text",
    [
        "1" * 1000,
        "1 " * 500,
        "1.1" * 333,
        "x" * 1000,
        "12/" * 333,
        "(1234" * 200,
        "1,111" * 200,
        ". " * 500,
        "total" * 200,
    ],
)
def test_a_long_line_of_anything_is_looked_at_once(text):
    started = time.process_time()
    extract([Line(text, 0.9, (0, 30 * row, 1000, 30 * row + 20)) for row in range(60)], "x", hints=Hints(), today=TODAY)
    assert time.process_time() - started < SECONDS


def test_a_page_of_thousands_of_different_prices_is_no_harder():
    chance = Random(7)
    lines = [
        Line(f"{chance.randint(1, 99999)}.{chance.randint(10, 99)}", 0.9, (60 * x, 30 * y, 60 * x + 50, 30 * y + 20))
        for x in range(20)
        for y in range(100)
    ]
    started = time.process_time()
    extract(lines, "x", hints=Hints(), today=TODAY)
    assert time.process_time() - started < SECONDS
