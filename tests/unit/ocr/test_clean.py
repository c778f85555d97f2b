"""Text from a page is made safe for every store and screen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_tasks.extraction.lines import Line
from ledger_tasks.ocr.clean import MAX_LINE, MAX_LINES, clean


def cleaned(text):
    return [line.text for line in clean([Line(text, 1.0, (0, 0, 1, 1))])]


@pytest.mark.trap(33)
def test_nul_surrogates_and_controls_are_dropped():
    assert cleaned("TO\x00TAL\ud800 9\x1b[31m.00\u202e") == ["TOTAL 9[31m.00"]


@pytest.mark.trap(33)
@given(st.text(alphabet=st.characters(), max_size=50))
def test_what_is_left_is_valid_for_a_database(text):
    for line in cleaned(text):
        line.encode("utf-8")
        assert "\x00" not in line
        assert line.strip() == line != ""


def test_sizes_are_bounded():
    assert len(cleaned("x" * 5000)[0]) == MAX_LINE
    assert len(clean([Line("x", 1.0, (0, 0, 1, 1))] * 5000)) == MAX_LINES
