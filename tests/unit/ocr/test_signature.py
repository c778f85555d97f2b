"""Signatures of pages: what two photographs of one receipt share, and two receipts do not."""

from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
import pytest
from PIL import Image, ImageFilter

from contracts.receipts.results import SIGNATURE_BITS, Artifact
from ledger_tasks.ocr.events import MEDIA_TYPE
from ledger_tasks.ocr.signature import signature
from ledger_tasks.storage.likeness import ALIKE_BITS

FOLDER = Path(__file__).parents[2] / "data" / "receipts"
RECEIPTS = [
    Image.open(FOLDER / name).convert("L")
    for name in (
        "boulangerie-french.jpg",
        "cafe-english.jpg",
        "diner-us.jpg",
        "ferreteria-spanish.png",
        "gastronom-russian.jpg",
        "kedai-malaysia.jpg",
        "papeterie-swiss.webp",
        "refund.png",
        "supermarkt-german.png",
    )
]


def bits(page: Image.Image) -> np.ndarray:
    found = signature(np.asarray(page))
    assert found is not None
    return np.unpackbits(np.frombuffer(bytes.fromhex(found), np.uint8))


def between(one: Image.Image, other: Image.Image) -> int:
    return int((bits(one) != bits(other)).sum())


def with_border(page: Image.Image) -> Image.Image:
    whole = Image.new("L", (page.width + 90, page.height + 140), 255)
    whole.paste(page, (60, 25))
    return whole


def shaded(page: Image.Image) -> Image.Image:
    light = np.linspace(0.6, 1.0, page.width)
    return Image.fromarray((np.asarray(page) * light).astype(np.uint8))


@pytest.mark.case("C019")
@pytest.mark.parametrize(
    "photographed",
    [
        lambda page: page.resize((round(page.width * 0.7), round(page.height * 0.7)), Image.Resampling.LANCZOS),
        lambda page: page.rotate(1.5, expand=True, fillcolor=255, resample=Image.Resampling.BICUBIC),
        lambda page: page.filter(ImageFilter.GaussianBlur(1.5)),
        with_border,
        shaded,
    ],
    ids=["smaller", "turned", "blurred", "more-around-it", "in-a-shadow"],
)
def test_a_second_photograph_has_nearly_the_same_signature(photographed: Callable[[Image.Image], Image.Image]) -> None:
    assert max(between(page, photographed(page)) for page in RECEIPTS) <= ALIKE_BITS


def test_receipts_of_other_shops_do_not_come_near() -> None:
    apart = [between(one, other) for place, one in enumerate(RECEIPTS) for other in RECEIPTS[:place]]
    assert min(apart) > ALIKE_BITS
    assert median(apart) > 1.5 * ALIKE_BITS


def test_a_page_without_ink_has_none() -> None:
    assert signature(np.full((400, 300), 255, np.uint8)) is None


def test_the_media_type_of_an_artifact_carries_it() -> None:
    told = "0f" * (SIGNATURE_BITS // 8)
    artifact = Artifact(
        kind="ocr-cache",
        uri="artifact:x",
        sha256="a" * 64,
        media_type=f"{MEDIA_TYPE}; page-signature={told}",
        size_bytes=1,
    )
    assert artifact.page_signature == told
    assert artifact.model_copy(update={"media_type": MEDIA_TYPE}).page_signature is None
