"""PDF bytes come in; pages rendered gray one at a time, or the lines of a trustworthy text layer, go out."""

import ctypes
from typing import Final

import pypdfium2
from pypdfium2 import raw

from ledger_tasks.errors import Terminal
from ledger_tasks.extraction.lines import Line
from ledger_tasks.ocr.documents import MAX_PIXELS, PAGE_PIXELS, Document, Page, to_page
from ledger_tasks.ocr.poppler import open_repaired

DPI: Final = 200
"""Dots per inch of a rendered page: small print is about 20 pixels high."""

POINTS_PER_INCH: Final = 72

MIN_TEXT: Final = 20
"""Letters and digits below which a text layer is a stamp or a file name, not the receipt."""

MAX_ODD_SHARE: Final = 0.05
"""Share of unprintable or unmapped characters above which the fonts of a text layer do not say what they show."""

SCAN_COVER: Final = 0.5
"""Share of the page covered by one picture above which the text beside it is somebody's OCR, not the print."""


class Pdf:
    """A PDF opened by PDFium."""

    def __init__(self, opened: pypdfium2.PdfDocument) -> None:
        self._opened = opened
        self.pages = len(opened)

    def page(self, number: int) -> Page:
        """Render one page. Raises Terminal PDF_CORRUPT, or IMAGE_TOO_LARGE for a picture on it."""
        page = self._load(number)
        for picture in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE]):
            width, height = picture.get_px_size()
            if width * height > MAX_PIXELS:
                raise Terminal("IMAGE_TOO_LARGE", f"page {number} holds a picture of {width} x {height} pixels")
        scale = _scale(page)
        bitmap = page.render(scale=scale, grayscale=True, may_draw_forms=False)
        try:
            return to_page(number, bitmap.to_pil().convert("L"), round(scale * POINTS_PER_INCH))
        finally:
            bitmap.close()
            page.close()

    def text(self, number: int) -> list[Line]:
        """Return the text layer as lines in the pixels of the rendered page; none where it cannot be trusted."""
        page = self._load(number)
        found = page.get_textpage()
        try:
            if _is_scan(page) or not _is_trustworthy(found.get_text_range()):
                return []
            boxes = [found.get_rect(index) for index in range(found.count_rects())]
            lines = [
                Line(found.get_text_bounded(*box).strip(), 1.0, _pixels(page, box, _scale(page)), number)
                for box in boxes
            ]
            return [line for line in lines if line.text and _is_seen(line.box, page)]
        finally:
            found.close()
            page.close()

    def _load(self, number: int) -> pypdfium2.PdfPage:
        try:
            return self._opened[number - 1]
        except pypdfium2.PdfiumError as error:
            raise Terminal("PDF_CORRUPT", f"page {number} cannot be loaded: {error}") from None


def open_pdf(document: bytes) -> Document:
    """Open a PDF; what PDFium refuses gets one repair try by poppler. Raises Terminal PDF_ENCRYPTED or PDF_CORRUPT."""
    try:
        opened = pypdfium2.PdfDocument(document)
        if len(opened):
            opened[0].close()
        return Pdf(opened)
    except pypdfium2.PdfiumError as error:
        if error.err_code == raw.FPDF_ERR_PASSWORD:
            raise Terminal("PDF_ENCRYPTED", "the PDF needs a password") from None
        return open_repaired(document, str(error))


def _scale(page: pypdfium2.PdfPage) -> float:
    """Return pixels per point: 200 dpi, less for a page so large that it would not fit in what is read."""
    width, height = page.get_size()
    area = max(width * height, 1.0)
    return float(min(DPI / POINTS_PER_INCH, (PAGE_PIXELS / area) ** 0.5))


def _is_scan(page: pypdfium2.PdfPage) -> bool:
    width, height = page.get_size()
    for picture in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE]):
        left, bottom, right, top = picture.get_bounds()
        if abs(right - left) * abs(top - bottom) > SCAN_COVER * width * height:
            return True
    return False


def _is_seen(box: tuple[int, int, int, int], page: pypdfium2.PdfPage) -> bool:
    """Say whether text is on the page and at least a pixel large; what nobody sees is not the print."""
    width, height = (side * _scale(page) for side in page.get_size())
    left, top, right, bottom = box
    return left < right and top < bottom and 0 <= (left + right) / 2 <= width and 0 <= (top + bottom) / 2 <= height


def _is_trustworthy(text: str) -> bool:
    seen = [letter for letter in text if not letter.isspace()]
    good = sum(letter.isalnum() for letter in seen)
    odd = sum(not letter.isprintable() or letter == "\ufffd" for letter in seen)
    return good >= MIN_TEXT and odd <= MAX_ODD_SHARE * len(seen) and any(letter.isdigit() for letter in seen)


def _pixels(page: pypdfium2.PdfPage, box: tuple[float, float, float, float], scale: float) -> tuple[int, int, int, int]:
    """Turn a box of PDF points into pixels of the rendered page; PDFium knows its rotation and crop."""
    width, height = (max(1, round(side * scale)) for side in page.get_size())
    corners = []
    for x, y in (box[:2], box[2:]):
        column, line = ctypes.c_int(), ctypes.c_int()
        raw.FPDF_PageToDevice(page, 0, 0, width, height, 0, x, y, column, line)
        corners.append((column.value, line.value))
    (left, top), (right, bottom) = corners
    return min(left, right), min(top, bottom), max(left, right), max(top, bottom)
