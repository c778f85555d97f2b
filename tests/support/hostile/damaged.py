"""Good files of every format, cut short or with bits turned over: half transfers and dying disks."""

from collections.abc import Iterator
from random import Random

from PIL import Image

from tests.support.hostile.case import READ, HostileFile, hostile
from tests.support.hostile.parts import one_page, pdf, saved, slip

PICTURE = (READ, "IMAGE_CORRUPT", "IMAGE_TOO_LARGE", "UNSUPPORTED_TYPE", "NO_PAGES", "TOO_MANY_PAGES")
DOCUMENT = (READ, "PDF_CORRUPT", "PDF_ENCRYPTED", "UNSUPPORTED_TYPE", "NO_PAGES", "TOO_MANY_PAGES", "IMAGE_TOO_LARGE")
FLIPS_OF_EACH = 8
CUTS = (0.1, 0.35, 0.6, 0.9)


def files(chance: Random) -> Iterator[HostileFile]:
    """All of them; the seed decides which bits turn over."""
    for name, (content, verdicts) in _good().items():
        stem, _, ending = name.rpartition(".")
        cut = tuple(verdict for verdict in verdicts if verdict != READ or not _must_notice(name))
        for share in CUTS:
            yield hostile(f"{stem}-cut-{round(share * 100)}.{ending}", content[: int(len(content) * share)], *cut)
        for number in range(FLIPS_OF_EACH):
            yield hostile(f"{stem}-flipped-{number}.{ending}", _flipped(content, number, chance), *verdicts)


def _must_notice(name: str) -> bool:
    """These formats say how long they are: half of one is never a whole picture."""
    return name.endswith((".jpg", ".png", ".webp"))


def _good() -> dict[str, tuple[bytes, tuple[str, ...]]]:
    deep = Image.merge("RGB", [slip()] * 3)
    return {
        "plain.jpg": (saved("JPEG"), PICTURE),
        "progressive.jpg": (saved("JPEG", deep, progressive=True), PICTURE),
        "plain.png": (saved("PNG"), PICTURE),
        "deep.png": (saved("PNG", slip().convert("I;16")), PICTURE),
        "plain.webp": (saved("WEBP"), PICTURE),
        "lossless.webp": (saved("WEBP", lossless=True), PICTURE),
        "plain.tif": (saved("TIFF"), PICTURE),
        "lzw.tif": (saved("TIFF", deep, compression="tiff_lzw"), PICTURE),
        "fax.tif": (saved("TIFF", slip().convert("1"), compression="group4"), PICTURE),
        "text.pdf": (pdf(one_page()), DOCUMENT),
        "scan.pdf": (saved("PDF"), DOCUMENT),
    }


def _flipped(content: bytes, number: int, chance: Random) -> bytes:
    """One to some hundred bits turned over, half of the time near the beginning, where the structure is."""
    damaged = bytearray(content)
    reach = min(len(content), 400) if number % 2 else len(content)
    for _ in range(chance.choice((1, 3, 20, 200))):
        damaged[chance.randrange(4, reach)] ^= 1 << chance.randrange(8)
    return bytes(damaged)
