"""Boxes that stand beside each other are one row, also on a page scanned at a small angle."""

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
