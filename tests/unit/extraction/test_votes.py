"""A closer look at an unsure date decides which day is shown, and never that nobody needs to look."""

import pytest

from ledger_tasks.extraction.hints import Hints
from ledger_tasks.extraction.lines import Line
from ledger_tasks.extraction.receipt import extract
from tests.support.text_slips import TODAY, lines

SLIP = """
    Melati Trading Sdn Bhd
    Lot 6, Jalan Batai
    Date 15/02/2018 12:04
    Tea  12.00
    TOTAL RM  12.00
    CASH  20.00
    CHANGE  8.00
"""


def read(*closer: Line):
    second = [Line("18/02/2018", 0.7, (0, 0, 90, 30))]
    return extract(lines(SLIP, 0.93), "rapidocr", hints=Hints(), today=TODAY, second=second, closer=closer)


@pytest.mark.parametrize(
    ("text", "confidence", "day"),
    [
        (":16/02/201812:04:58", 0.99, "2018-02-16"),
        (":16/02/201812:04:58", 0.90, "2018-02-15"),
        ("16/02/2018 17/02/2018", 0.99, "2018-02-15"),
        ("nothing", 0.99, "2018-02-15"),
    ],
    ids=["clearer", "less-clear", "two-days", "none"],
)
def test_the_day_that_was_read_more_clearly_is_shown_and_left_to_a_person(text, confidence, day) -> None:
    receipt = read(Line(text, confidence, (0, 0, 200, 30)))
    assert receipt.transaction_date.value == day
    assert "DATE_UNCONFIRMED" in receipt.review_reasons


def test_the_day_that_was_read_first_stays_as_an_alternative() -> None:
    assert read(Line("16/02/2018", 0.99, (0, 0, 200, 30))).transaction_date.alternatives == ("2018-02-15",)
