"""The invented slips are an honest measure: repeatable, printed as their truth says, and sums that add up."""

import json
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from random import Random

import pytest
from PIL import Image, ImageChops, ImageStat

from tests.data.make_receipts import HERE, SAMPLES
from tests.support.slips.__main__ import truth, write
from tests.support.slips.compose import compose
from tests.support.slips.languages import LANGUAGES, MIXED
from tests.support.slips.paint import FACES, covers
from tests.support.slips.rows import Columns, Pair, Row, Text
from tests.support.slips.style import printed_date
from tests.support.slips.wear import worn

EVERY = [*LANGUAGES, MIXED]


def words(row: Row) -> str:
    match row:
        case Text():
            return row.text
        case Pair():
            return f"{row.left} {row.right}"
        case Columns():
            return " ".join(cell.text for cell in row.cells)
        case _:
            return ""


@pytest.mark.parametrize("language", EVERY)
def test_total_and_date_of_the_key_are_printed_on_the_slip(language: str) -> None:
    for number in range(30):
        printed = compose(language, Random(number))
        slip, style = printed.slip, printed.style
        lines = [words(row) for row in printed.rows]
        sums = " ".join(lines)
        assert f"{style.words.total} {style.money.marked(slip.total)}" in sums
        assert any(printed_date(slip.when, style) in line for line in lines)
        assert slip.shop.name in lines


@pytest.mark.parametrize("language", EVERY)
def test_printed_sums_add_up(language: str) -> None:
    for number in range(30):
        slip = compose(language, Random(number)).slip
        tax = Decimal(0) if slip.tax_included else slip.tax_total
        lines = sum(item.total for item in slip.items)
        assert lines + tax + slip.service + slip.tip + slip.rounding == slip.total
        assert abs(slip.rounding) < slip.round_to
        assert slip.change >= 0
        assert slip.tendered is None or slip.tendered - slip.change == slip.total


@pytest.mark.parametrize("language", EVERY)
def test_every_letter_of_a_slip_has_a_glyph_in_its_typeface(language: str) -> None:
    for number in range(10):
        printed = compose(language, Random(number))
        assert covers(printed.press.face, printed.rows)


def test_a_typeface_without_a_letter_is_noticed() -> None:
    assert not any(covers(face, [Text("\u4e00")]) for face in FACES)


def test_same_arguments_write_the_same_files(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        write(tmp_path / folder, "mixed", 2, 7, degraded=True)
    write(tmp_path / "three", "mixed", 2, 8, degraded=True)
    one, two, three = (
        [path.read_bytes() for path in sorted((tmp_path / folder).rglob("*.*"))] for folder in ("one", "two", "three")
    )
    assert one == two
    assert one != three


def test_a_worn_slip_still_has_its_own_truth_and_names_what_happened() -> None:
    chance = Random(3)
    printed = compose("de", chance)
    image, happened = worn(printed.picture(), chance)
    assert image.tobytes() != printed.picture().tobytes()
    assert 2 <= len(happened) <= 4
    assert truth(printed.slip)["total"] == str(printed.slip.total)


def test_the_committed_samples_are_the_ones_the_script_knows() -> None:
    written = json.loads((HERE / "truth.json").read_text(encoding="utf-8"))
    assert written == {name: sample.truth() for name, sample in SAMPLES.items()}
    assert {path.name for path in HERE.iterdir()} == {*SAMPLES, "truth.json"}


@pytest.mark.parametrize(
    "name", [name for name in SAMPLES if name.endswith((".png", ".webp")) and name != "pixel-bomb.png"]
)
def test_a_committed_picture_shows_what_its_truth_was_computed_from(name: str) -> None:
    committed, drawn = (
        Image.open(BytesIO(content)).convert("L") for content in ((HERE / name).read_bytes(), SAMPLES[name].content())
    )
    assert committed.size == drawn.size
    assert ImageStat.Stat(ImageChops.difference(committed, drawn)).mean[0] < 2, "other fonts, or another slip"


def test_the_committed_samples_are_small() -> None:
    assert sum(path.stat().st_size for path in HERE.iterdir()) < 2_500_000
