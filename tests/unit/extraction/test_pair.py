"""Two receipts on one page go to a person; a copy, a card slip and a price list are one."""

from dataclasses import replace

import pytest

from ledger_tasks.extraction.hints import Hints
from ledger_tasks.extraction.lines import Line
from ledger_tasks.extraction.receipt import extract
from tests.support.text_slips import TODAY, lines

ONE = """
    Corner Shop Ltd
    Leeds LS2 8JF
    Date 2026-08-13 10:15
    Tea  12.00
    Cake  3.00
    TOTAL GBP  15.00
    CASH  20.00
    CHANGE  5.00
"""
OTHER = (
    ONE.replace("Corner", "Harbour").replace("-13", "-12").replace("12.00", "11.00").replace("15.00", "14.00")
).replace("5.00", "6.00")
CARD_SLIP = """
    VISA  **** 4417
    AMOUNT GBP  15.00
    Date 2026-08-13 10:15
    Auth code 761029
    Merchant ID 4417
    Thank you
    TOTAL  15.00
"""


def below(slip: str) -> list[Line]:
    return moved(lines(slip), down=900)


def beside(slip: str) -> list[Line]:
    return moved(lines(slip), right=1200)


def moved(page: list[Line], right: int = 0, down: int = 0) -> list[Line]:
    move = (right, down, right, down)
    return [replace(line, box=tuple(map(sum, zip(line.box, move, strict=True)))) for line in page]


def reasons(page: list[Line]) -> tuple[str, ...]:
    return extract(page, "rapidocr", hints=Hints(), today=TODAY).review_reasons


@pytest.mark.parametrize("laid", [below, beside])
def test_two_receipts_on_one_page_are_noticed(laid) -> None:
    assert "TWO_RECEIPTS" in reasons([*lines(ONE), *laid(OTHER)])


@pytest.mark.parametrize("laid", [below, beside])
@pytest.mark.parametrize("more", [ONE, CARD_SLIP], ids=["copy", "card-slip"])
def test_a_copy_and_the_slip_of_the_card_are_no_second_receipt(laid, more: str) -> None:
    assert "TWO_RECEIPTS" not in reasons([*lines(ONE), *laid(more)])


def test_receipts_on_two_pages_are_one_document() -> None:
    assert "TWO_RECEIPTS" not in reasons([*lines(ONE), *(replace(line, page=2) for line in lines(OTHER))])
