"""A document of any kind comes in as bytes; numbered pages, gray and upright, go out one at a time."""

from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from PIL import Image

from ledger_tasks.errors import Terminal
from ledger_tasks.extraction.lines import Line
from ledger_tasks.ocr.sniff import Kind, sniff

MAX_PAGES: Final = 100
"""Pages of one receipt; at a second each this stays well below the default time limit."""

MAX_PIXELS: Final = 64_000_000
"""Pixels of one picture as its header states them; 64 MP hold every phone photo and need 256 MB while decoding."""

MAX_SIDE: Final = 65_535
"""Pixels of one side, as many as a JPEG can have: a line of sixty million pixels is no receipt, and engines pad it."""

PAGE_SIDE: Final = 10_000
"""Pixels of the longer side as it is read: a metre of receipt at 250 dpi. Engines pad a longer strip to gigabytes."""

MIN_SIDE: Final = 32
"""Pixels of a side below which engines fail; a thinner page gets paper beside it."""

PAGE_PIXELS: Final = 4_000_000
"""Pixels of a page as it is read: more costs time and finds nothing more."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page as it is read: gray pixels (height, width), and the resolution if it was rendered."""

    number: int
    pixels: np.ndarray[tuple[int, int], np.dtype[np.uint8]]
    dpi: int | None = None


class Document(Protocol):
    """An opened document. Pages are numbered from 1 and made on demand, so that one is in memory at a time."""

    pages: int

    def page(self, number: int) -> Page:
        """Decode or render one page. Raises Terminal IMAGE_CORRUPT, IMAGE_TOO_LARGE or PDF_CORRUPT."""

    def text(self, number: int) -> list[Line]:
        """Return the lines of a trustworthy text layer, or none."""


def open_document(document: bytes) -> Document:
    """Open bytes of any kind. Raises Terminal with the code of what is wrong with them."""
    kind = sniff(document)
    if kind is Kind.PDF:
        from ledger_tasks.ocr.pdf import open_pdf  # noqa: PLC0415 (a photo needs no PDF library)

        opened: Document = open_pdf(document)
    else:
        from ledger_tasks.ocr.pictures import Picture  # noqa: PLC0415 (a PDF with text needs no picture)

        opened = Picture(document, kind)
    if opened.pages == 0:
        raise Terminal("NO_PAGES", "the document has no pages")
    if opened.pages > MAX_PAGES:
        raise Terminal("TOO_MANY_PAGES", f"the document has {opened.pages} pages, the limit is {MAX_PAGES}")
    return opened


def to_page(number: int, gray: Image.Image, dpi: int | None = None) -> Page:
    """Shrink a gray picture to what is worth reading."""
    ratio = min((PAGE_PIXELS / (gray.width * gray.height)) ** 0.5, PAGE_SIDE / max(gray.size))
    if ratio < 1:
        size = (max(1, round(gray.width * ratio)), max(1, round(gray.height * ratio)))
        gray = gray.resize(size, Image.Resampling.LANCZOS, reducing_gap=2.0)
        dpi = None if dpi is None else round(dpi * ratio)
    if min(gray.size) < MIN_SIDE:
        thin, gray = gray, Image.new("L", (max(gray.width, MIN_SIDE), max(gray.height, MIN_SIDE)), 255)
        gray.paste(thin)
    return Page(number, np.asarray(gray), dpi)
