"""Where one engine reads letters and another digits, the lines have both."""

from ledger_tasks.extraction.lines import Line
from ledger_tasks.ocr.mending import mended


def one(letters: str, *digits: Line) -> str:
    return mended([Line(letters, 0.7, (0, 100, 200, 120))], digits)[0].text


def test_numbers_of_a_line_are_those_of_the_engine_that_reads_digits():
    assert one("Дата: 95.08.2024", Line(": 05.08.2024", 0.98, (60, 101, 199, 121))) == "Дата: 05.08.2024"
    assert one("746", Line("7,46", 0.99, (0, 98, 200, 121))) == "7,46"


def test_two_parts_of_the_other_engine_mend_one_line_from_left_to_right():
    right, left = Line("08:19", 0.9, (120, 100, 190, 120)), Line("05.08.24", 0.9, (0, 100, 100, 120))
    assert one("95.08.24 98:19", right, left) == "05.08.24 08:19"


def test_a_line_stays_where_the_other_engine_saw_other_numbers_another_place_or_letters_as_digits():
    assert one("2 x 126,30", Line("126,30", 0.9, (0, 100, 200, 120))) == "2 x 126,30"
    assert one("746", Line("7,46", 0.9, (0, 140, 200, 160))) == "746"
    assert one("746", Line("7,46", 0.9, (0, 100, 500, 120))) == "746"
    assert one("000 «Нива»", Line("00 «»", 0.9, (0, 100, 200, 120))) == "000 «Нива»"


def test_a_price_that_the_first_engine_lacks_is_added_where_it_stands():
    label, junk = Line("ИТОГО", 0.9, (0, 100, 60, 120)), Line("г: emo", 0.2, (60, 100, 300, 120))
    price, word = Line("101.70", 0.99, (250, 101, 300, 119)), Line("NTOrO", 0.5, (0, 100, 60, 120))
    assert mended([label, junk], [word, price]) == [label, junk, price]


def test_a_mended_number_is_as_sure_as_the_engine_that_read_it():
    assert mended([Line("746", 0.4, (0, 0, 60, 20))], [Line("7,46", 0.97, (0, 0, 60, 20))])[0].confidence == 0.97
