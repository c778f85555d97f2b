"""The first pass tells whether a page lies on its side, was hardly read, or speaks another script."""

from ledger_tasks.extraction.lines import Line
from ledger_tasks.ocr import suspicion

UPRIGHT = [Line("TOTAL 9.00", 0.99, (0, 40 * index, 150, 40 * index + 30)) for index in range(8)]
SIDEWAYS = [Line("TOTAL 9.00", 0.99, (40 * index, 0, 40 * index + 30, 150)) for index in range(8)]
HOLLOW = [Line(". ,", 0.9, (0, 40 * index, 300, 40 * index + 30)) for index in range(5)]
DIGITS = [Line(": 5 069,52 .", 0.9, (0, 40 * index, 300, 40 * index + 30)) for index in range(12)]


def test_an_upright_page_raises_no_suspicion():
    assert not suspicion.is_sideways(UPRIGHT)
    assert not suspicion.is_poor(UPRIGHT)
    assert not suspicion.is_other_script(UPRIGHT)
    assert not suspicion.is_cyrillic(UPRIGHT)


def test_lines_higher_than_wide_lie_on_their_side():
    assert suspicion.is_sideways(SIDEWAYS)


def test_wide_boxes_with_few_letters_are_another_script():
    assert suspicion.is_other_script(UPRIGHT + HOLLOW)


def test_a_page_of_digits_with_few_letters_is_another_script():
    assert suspicion.is_other_script(UPRIGHT[:2] + DIGITS)
    assert not suspicion.is_other_script(DIGITS[:2])


def test_greek_letters_are_what_is_made_of_cyrillic():
    assert suspicion.is_other_script(
        [*UPRIGHT, Line("Γpa 900r", 0.9, (0, 0, 90, 30)), Line("ΦH 901", 0.9, (0, 40, 90, 70))]
    )


def test_low_confidence_is_a_page_hardly_read():
    assert suspicion.is_poor([Line("TOTAL", 0.5, (0, 0, 90, 30))])


def test_cyrillic_is_known_by_its_letters():
    assert suspicion.is_cyrillic([Line("ИТОГО 994.90", 0.9, (0, 0, 90, 30))])
