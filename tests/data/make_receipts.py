"""Renders the sample receipts of `receipts/` and their truth: `python -m tests.data.make_receipts [FOLDER]`."""

import json
import struct
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from random import Random
from time import struct_time
from typing import Any, Literal

from PIL import Image, ImageOps

from tests.data.shops import british, continental, overseas
from tests.support.slips import wear
from tests.support.slips.paint import paint
from tests.support.slips.pdf import text_pdf
from tests.support.slips.printed import Printed

HERE = Path(__file__).parent / "receipts"
SCAN_DPI = 200
EPOCH = struct_time((2024, 1, 1, 0, 0, 0, 0, 1, 0))
"""The date inside scanned PDFs, so that the same samples give the same bytes."""

EXIF_ORIENTATION = 0x0112
TURN_RIGHT = 6
"""EXIF: the viewer must turn the picture a quarter to the right."""

BOMB_SIDE = 45_000
"""Pixels: two gigapixels in a file of a few kB."""

Truth = dict[str, str | None]
FIELDS = ("merchant", "date", "total", "currency")


@dataclass(frozen=True)
class Readable:
    """One file that can be read: what is printed on it, how it became bytes, and the verdict that is due."""

    printed: Printed
    render: Callable[[Printed], bytes]
    status: Literal["succeeded", "review_required"] = "succeeded"
    lost: frozenset[str] = frozenset()
    """Fields that cannot be known from the file."""

    def content(self) -> bytes:
        """The bytes of the file."""
        return self.render(self.printed)

    def truth(self) -> Truth:
        """What a bookkeeper would write down."""
        slip = self.printed.slip
        known = dict(
            zip(FIELDS, (slip.shop.name, slip.when.date().isoformat(), str(slip.total), slip.currency), strict=True)
        )
        return {
            "status": self.status,
            **{name: None if name in self.lost else known[name] for name in FIELDS},
            "code": None,
        }


@dataclass(frozen=True)
class Broken:
    """One file that cannot be read, and the failure code that names why."""

    code: str
    content: Callable[[], bytes]

    def truth(self) -> Truth:
        """Nothing can be known."""
        return {"status": "failed", **dict.fromkeys(FIELDS), "code": self.code}


def main(folder: Path = HERE) -> None:
    """Write every sample and `truth.json`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, sample in SAMPLES.items():
        (folder / name).write_bytes(sample.content())
    truth = {name: sample.truth() for name, sample in SAMPLES.items()}
    (folder / "truth.json").write_text(json.dumps(truth, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")


def jpeg(printed: Printed) -> bytes:
    """A flatbed scan."""
    return saved(printed.picture(), "JPEG", quality=82)


def png(printed: Printed) -> bytes:
    """A till's own export, 16 grays."""
    return saved(printed.picture().quantize(16), "PNG", optimize=True)


def webp(printed: Printed) -> bytes:
    """A messenger's format."""
    return saved(printed.picture(), "WEBP", quality=70)


def scan(printed: Printed) -> bytes:
    """A PDF that holds a picture only."""
    return saved(printed.picture(), "PDF", resolution=SCAN_DPI, creationDate=EPOCH, modDate=EPOCH)


def born_digital(printed: Printed) -> bytes:
    """A PDF with a text layer."""
    return text_pdf(printed.rows)


def fax(printed: Printed) -> bytes:
    """A black and white TIFF of two pages: the sums stand on the second."""
    half = len(printed.rows) // 2
    first, second = (paint(rows, printed.press).convert("1") for rows in (printed.rows[:half], printed.rows[half:]))
    return saved(first, "TIFF", compression="group4", save_all=True, append_images=[second])


def photo(printed: Printed) -> bytes:
    """A phone held sideways, which says so in EXIF."""
    upright = wear.perspective(printed.picture(), Random("photo"))
    exif = Image.Exif()
    exif[EXIF_ORIENTATION] = TURN_RIGHT
    return saved(_coloured(upright).transpose(Image.Transpose.ROTATE_90), "JPEG", quality=70, exif=exif)


def sideways(printed: Printed) -> bytes:
    """A scan that was laid in sideways; nothing says so."""
    return saved(printed.picture().transpose(Image.Transpose.ROTATE_270), "JPEG", quality=75)


def evening(printed: Printed) -> bytes:
    """A photo in weak light, with the shadow of a hand."""
    chance = Random("evening")
    image = printed.picture()
    for happened in (wear.skew, wear.shadow, wear.blur, wear.noise):
        image = happened(image, chance)
    return saved(_coloured(image), "JPEG", quality=55)


def torn(printed: Printed) -> bytes:
    """The lower part is missing, and the sums with it."""
    rows = printed.rows
    return saved(paint(rows[: len(rows) // 2], printed.press), "JPEG", quality=75)


def encrypted() -> bytes:
    """A PDF that asks for a password."""
    return text_pdf(british.RAIL.rows, password="not given to anybody")


def truncated() -> bytes:
    """A JPEG whose transfer broke off after two fifths."""
    whole = jpeg(british.CAFE)
    return whole[: len(whole) * 2 // 5]


def empty() -> bytes:
    """A file without a byte."""
    return b""


def renamed_text() -> bytes:
    """A text that is named like a picture; some programs take it for a list of pictures to open."""
    return b"receipts/one.jpg\nreceipts/two.jpg\n"


def pixel_bomb() -> bytes:
    """A PNG of a few kB whose header promises two gigapixels."""
    header = struct.pack(">IIBBBBB", BOMB_SIDE, BOMB_SIDE, 1, 0, 0, 0, 0)
    some_rows = zlib.compress(bytes((BOMB_SIDE // 8 + 1) * 500), 9)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in ((b"IHDR", header), (b"IDAT", some_rows), (b"IEND", b""))
    )


def saved(image: Image.Image, form: str, **options: Any) -> bytes:
    """The picture as the bytes of one file format."""
    target = BytesIO()
    image.save(target, form, **options)
    return target.getvalue()


def _coloured(image: Image.Image) -> Image.Image:
    """The warm light of a lamp."""
    return ImageOps.colorize(image, (38, 32, 34), (250, 244, 228))


SAMPLES: dict[str, Readable | Broken] = {
    "cafe-english.jpg": Readable(british.CAFE, jpeg),
    "supermarkt-german.png": Readable(continental.SUPERMARKT, png),
    "rail-text-layer.pdf": Readable(british.RAIL, born_digital),
    "baumarkt-scan.pdf": Readable(continental.BAUMARKT, scan),
    "kedai-malaysia.jpg": Readable(overseas.KEDAI, jpeg),
    "diner-us.jpg": Readable(overseas.DINER, jpeg),
    "boulangerie-french.jpg": Readable(continental.BOULANGERIE, jpeg),
    "ferreteria-spanish.png": Readable(continental.FERRETERIA, png),
    "gastronom-russian.jpg": Readable(continental.GASTRONOM, jpeg),
    "papeterie-swiss.webp": Readable(continental.PAPETERIE, webp),
    "motel-two-pages.tif": Readable(overseas.MOTEL, fax),
    "garden-photo-exif.jpg": Readable(british.GARDEN, photo),
    "trattoria-sideways.jpg": Readable(british.TRATTORIA, sideways),
    "pub-shadow-noise.jpg": Readable(british.PUB, evening),
    "refund.png": Readable(british.REFUND, png),
    "ambiguous-date.png": Readable(overseas.DEPANNEUR, png, "review_required"),
    "torn-off.jpg": Readable(british.TOOLS, torn, "review_required", frozenset({"total"})),
    "encrypted.pdf": Broken("PDF_ENCRYPTED", encrypted),
    "truncated.jpg": Broken("IMAGE_CORRUPT", truncated),
    "empty.pdf": Broken("EMPTY_FILE", empty),
    "text-named.jpg": Broken("UNSUPPORTED_TYPE", renamed_text),
    "pixel-bomb.png": Broken("IMAGE_TOO_LARGE", pixel_bomb),
}


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
