"""Boxes that stand beside each other are one row, also on a page scanned at a small angle."""

import pytest

from ledger_tasks.extraction.lines import Line, rows


def test_a_label_and_its_amount_are_one_row():
    found = rows(
        [Line("TOTAL", 1, (0, 100, 90, 130)), Line("9.00", 1, (400, 104, 470, 132)), Line("CASH", 1, (0, 140, 80, 170))]
    )
    assert [row.text for row in found] == ["TOTAL  9.00", "CASH"]


def test_rows_of_a_tilted_page_stay_apart():
    lines = []
    for index in range(6):
        for column in range(6):
            top = index * 34 + column * 6
            lines.append(Line(f"{index}{column}", 1, (column * 100, top, column * 100 + 80, top + 28)))
    assert [row.text.replace("  ", " ") for row in rows(lines)] == [
        " ".join(f"{index}{column}" for column in range(6)) for index in range(6)
    ]


def test_pages_follow_each_other():
    found = rows([Line("second", 1, (0, 0, 50, 20), 2), Line("first", 1, (0, 500, 50, 520), 1)])
    assert [row.text for row in found] == ["first", "second"]


def seen_at_an_angle(index: int, column: int, slope: float) -> Line:
    """A price table of 30 pixels a row and 400 from label to amount, sinking to the right."""
    wide, left = (200, 0) if column == 0 else (90, 500)
    top = 30 * index + slope * left
    return Line(f"{index}{column}", 1, (left, round(top), left + wide, round(top + 24 + slope * wide)), 1, slope)


@pytest.mark.parametrize("slope", [-0.06, -0.03, 0.03, 0.06])
def test_an_amount_far_from_its_label_stays_in_its_row_on_a_slanting_page(slope: float) -> None:
    lines = [seen_at_an_angle(index, column, slope) for index in range(8) for column in (0, 1)]
    assert [row.text for row in rows(lines)] == [f"{index}0  {index}1" for index in range(8)]


def test_a_slope_that_changes_down_the_page_is_followed() -> None:
    lines = [seen_at_an_angle(index, column, 0.005 * index) for index in range(12) for column in (0, 1)]
    assert [row.text for row in rows(lines)] == [f"{index}0  {index}1" for index in range(12)]
