"""A PDF that PDFium refuses comes in; pages from poppler, which rebuilds damaged cross references, go out."""

import subprocess
from typing import Final

import pdf2image
from pdf2image.exceptions import (
    PDFInfoNotInstalledError,
    PDFPageCountError,
    PDFPopplerTimeoutError,
    PDFSyntaxError,
)

from ledger_tasks.errors import Terminal
from ledger_tasks.extraction.lines import Line
from ledger_tasks.ocr.documents import Page, to_page

DPI: Final = 200
SECONDS_PER_PAGE: Final = 60
LONGEST_SIDE: Final = 3000
"""Pixels of the longer side of a page, whatever size the PDF claims."""


class RepairedPdf:
    """A PDF read by poppler; no text layer, because a damaged file is not trusted that far."""

    def __init__(self, document: bytes, pages: int, refusal: str) -> None:
        self._document = document
        self._refusal = refusal
        self.pages = pages

    def page(self, number: int) -> Page:
        """Render one page. Raises Terminal PDF_CORRUPT."""
        try:
            rendered = pdf2image.convert_from_bytes(
                self._document,
                dpi=DPI,
                size=LONGEST_SIDE,
                grayscale=True,
                first_page=number,
                last_page=number,
                timeout=SECONDS_PER_PAGE,
            )
        except (PDFSyntaxError, PDFPopplerTimeoutError, OSError) as error:
            raise _corrupt(self._refusal, type(error).__name__) from None
        if not rendered:
            raise _corrupt(self._refusal, f"page {number} cannot be rendered")
        return to_page(number, rendered[0].convert("L"), DPI)

    def text(self, number: int) -> list[Line]:  # noqa: ARG002 (no page of a damaged file is trusted that far)
        """Return nothing."""
        return []


def open_repaired(document: bytes, refusal: str) -> RepairedPdf:
    """Let poppler count the pages. Raises Terminal PDF_CORRUPT or PDF_ENCRYPTED."""
    try:
        pages = int(pdf2image.pdfinfo_from_bytes(document, timeout=SECONDS_PER_PAGE)["Pages"])
    except PDFPageCountError as error:
        if "password" in str(error).lower():
            raise Terminal("PDF_ENCRYPTED", "the PDF needs a password") from None
        raise _corrupt(refusal, "poppler finds no pages either") from None
    except (PDFInfoNotInstalledError, PDFPopplerTimeoutError, subprocess.SubprocessError) as error:
        raise _corrupt(refusal, type(error).__name__) from None
    return RepairedPdf(document, pages, refusal)


def _corrupt(refusal: str, repair: str) -> Terminal:
    hint = "print it to a new PDF or scan it again"
    return Terminal("PDF_CORRUPT", f"PDFium: {refusal}; repair by poppler: {repair}; {hint}")
