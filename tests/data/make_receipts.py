"""Renders the sample receipts of `receipts/` and their truth: `python -m tests.data.make_receipts [FOLDER]`."""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from time import struct_time

from PIL import Image

from tests.data import shops
from tests.support.slips.pdf import text_pdf
from tests.support.slips.printed import Printed

HERE = Path(__file__).parent / "receipts"
SCAN_DPI = 200
EPOCH = struct_time((2024, 1, 1, 0, 0, 0, 0, 1, 0))
"""The date inside scanned PDFs, so that the same samples give the same bytes."""

Render = Callable[[Printed], bytes]


@dataclass(frozen=True)
class Sample:
    """One file: what is printed on it, how it became bytes, and the verdict that the system must reach."""

    printed: Printed
    render: Render
    status: str = "succeeded"
    code: str | None = None

    def truth(self) -> dict[str, str | None]:
        """What a bookkeeper would write down; nothing for a file that cannot be read."""
        slip = self.printed.slip
        read: dict[str, str | None] = {
            "merchant": slip.shop.name,
            "date": slip.when.date().isoformat(),
            "total": str(slip.total),
            "currency": slip.currency,
        }
        if self.status == "failed":
            read = dict.fromkeys(read)
        return {"status": self.status, **read, "code": self.code}


def main(folder: Path = HERE) -> None:
    """Write every sample and `truth.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, sample in SAMPLES.items():
        (folder / name).write_bytes(sample.render(sample.printed))
    truth = {name: sample.truth() for name, sample in SAMPLES.items()}
    (folder / "truth.json").write_text(json.dumps(truth, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def saved(image: Image.Image, form: str, **options: object) -> bytes:
    """The picture as the bytes of one file format."""
    target = BytesIO()
    image.save(target, form, **options)
    return target.getvalue()


def jpeg(printed: Printed) -> bytes:
    """A phone's JPEG."""
    return saved(printed.picture(), "JPEG", quality=82)


def png(printed: Printed) -> bytes:
    """A till's own export, 16 grays."""
    return saved(printed.picture().quantize(16), "PNG", optimize=True)


def scan(printed: Printed) -> bytes:
    """A PDF that holds a picture only."""
    return saved(printed.picture(), "PDF", resolution=SCAN_DPI, creationDate=EPOCH, modDate=EPOCH)


def born_digital(printed: Printed) -> bytes:
    """A PDF with a text layer."""
    return text_pdf(printed.rows)


def encrypted(printed: Printed) -> bytes:
    """A PDF that asks for a password."""
    return text_pdf(printed.rows, password="not given to anybody")


def truncated(printed: Printed) -> bytes:
    """A JPEG whose transfer broke off after two fifths."""
    whole = jpeg(printed)
    return whole[: len(whole) * 2 // 5]


SAMPLES = {
    "cafe-english.jpg": Sample(shops.CAFE, jpeg),
    "supermarkt-german.png": Sample(shops.SUPERMARKT, png),
    "rail-text-layer.pdf": Sample(shops.RAIL, born_digital),
    "baumarkt-scan.pdf": Sample(shops.BAUMARKT, scan),
    "kedai-malaysia.jpg": Sample(shops.KEDAI, jpeg),
    "diner-us.jpg": Sample(shops.DINER, jpeg),
    "encrypted.pdf": Sample(shops.RAIL, encrypted, "failed", "PDF_ENCRYPTED"),
    "truncated.jpg": Sample(shops.CAFE, truncated, "failed", "IMAGE_CORRUPT"),
}


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
