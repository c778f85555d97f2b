"""The first bytes of a document come in; its kind goes out, whatever its name says."""

from enum import StrEnum
from typing import Final

from ledger_tasks.errors import Terminal


class Kind(StrEnum):
    """A kind of document that can be read."""

    PDF = "pdf"
    JPEG = "jpeg"
    PNG = "png"
    TIFF = "tiff"
    WEBP = "webp"
    HEIC = "heic"


PDF_HEADER_WITHIN: Final = 1024
"""Bytes in which readers look for `%PDF-`: some scanners write junk before it."""

_MAGIC: Final = (
    (b"\xff\xd8\xff", Kind.JPEG),
    (b"\x89PNG\r\n\x1a\n", Kind.PNG),
    (b"II*\x00", Kind.TIFF),
    (b"MM\x00*", Kind.TIFF),
    (b"II+\x00", Kind.TIFF),
    (b"MM\x00+", Kind.TIFF),
)
_HEIC_BRANDS: Final = frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"})


def sniff(document: bytes) -> Kind:
    """Return the kind. Raises Terminal EMPTY_FILE or UNSUPPORTED_TYPE."""
    if not document:
        raise Terminal("EMPTY_FILE", "the file has no bytes")
    for magic, kind in _MAGIC:
        if document.startswith(magic):
            return kind
    if document[:4] == b"RIFF" and document[8:12] == b"WEBP":
        return Kind.WEBP
    if document[4:8] == b"ftyp" and document[8:12] in _HEIC_BRANDS:
        return Kind.HEIC
    if b"%PDF-" in document[:PDF_HEADER_WITHIN]:
        return Kind.PDF
    raise Terminal("UNSUPPORTED_TYPE", "the bytes are none of PDF, JPEG, PNG, TIFF, WebP, HEIC")
