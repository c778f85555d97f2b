"""Letters that recognition exchanges in names and addresses."""

import pytest

from ledger_tasks.extraction.places import country
from ledger_tasks.extraction.spelling import SURE, spelled

DOUBTED = SURE - 0.01


@pytest.mark.parametrize(
    ("read", "written"),
    [
        ("99 5PEED MART S/B", "99 SPEED MART S/B"),
        ("0LIVE PHARMACY", "OLIVE PHARMACY"),
        ("NO 29O, JALAN AIR PANAS", "NO 290, JALAN AIR PANAS"),
        ("4115O KLANG", "41150 KLANG"),
        ("BIk G, J1n PJU 1A/3", "Blk G, Jln PJU 1A/3"),
        ("NORTH HARDWAKE", "NORTH HARDWARE"),
        ("Corner Pharnacy", "Corner Pharmacy"),
        ("TANAN BERKELEY", "TAMAN BERKELEY"),
        ("Lot 3, Jalau Pelabur", "Lot 3, Jalan Pelabur"),
        ("SELANCOR DARUL EHSAN", "SELANGOR DARUL EHSAN"),
    ],
)
def test_what_recognition_exchanged_is_mended(read: str, written: str) -> None:
    assert spelled(read, DOUBTED, accents=False) == written


@pytest.mark.parametrize(
    "text",
    ["DAISO JAPAN", "LAMAN RIMBUNAN", "STONE AGE COFFEE", "5 STAR", "LOT 5A", "U5/N", "ONE TWO O'CLOCK", "A5 PRINTERS"],
)
def test_a_word_that_is_another_word_stays(text: str) -> None:
    assert spelled(text, DOUBTED, accents=False) == text


def test_a_line_that_was_read_surely_may_spell_a_word_as_it_likes() -> None:
    assert spelled("Kawasan Parindustrian", SURE, accents=False) == "Kawasan Parindustrian"
    assert spelled("Kawasan Parindustrian", DOUBTED, accents=False) == "Kawasan Perindustrian"


def test_accents_are_dust_only_where_nobody_writes_them() -> None:
    assert spelled("HARDWÀRE", 1.0, accents=False) == "HARDWARE"
    assert spelled("Bäckerei", 1.0, accents=True) == "Bäckerei"


def test_an_accent_does_not_hide_a_country() -> None:
    found = country("51200 KÜALA LUMPUR")
    assert found is not None
    assert found.value == "MY"
