"""The containers of PNG, TIFF, JPEG and PDF, written by hand so that every field can lie."""

import struct
import zlib
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

from PIL import Image, ImageDraw, ImageFont

PNG = b"\x89PNG\r\n\x1a\n"
GRAY, RGB, PALETTE = 0, 2, 3


def slip(side: int = 240) -> Image.Image:
    """A tiny receipt, so that reading it takes little time where reading is right."""
    image = Image.new("L", (side, side // 2), 255)
    ImageDraw.Draw(image).text((10, 10), "CAFE\n2024-05-06\nTOTAL 4.50", 0, ImageFont.load_default(24))
    return image


def saved(form: str, image: Image.Image | None = None, **options: Any) -> bytes:
    """The picture in a file format."""
    target = BytesIO()
    (image or slip()).save(target, form, **options)
    return target.getvalue()


def chunk(kind: bytes, body: bytes) -> bytes:
    """One PNG chunk with its right length and checksum."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def header(width: int, height: int, depth: int = 1, colour: int = GRAY, interlace: int = 0) -> bytes:
    """The first chunk of a PNG."""
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlace))


def png(*chunks: bytes) -> bytes:
    """A PNG of these chunks and an end."""
    return PNG + b"".join(chunks) + chunk(b"IEND", b"")


def zeros(count: int) -> bytes:
    """So many zero bytes, deflated a piece at a time: a thousandth of their size."""
    packer = zlib.compressobj(9)
    piece = bytes(1 << 20)
    packed = [packer.compress(piece) for _ in range(count >> 20)]
    return b"".join([*packed, packer.compress(bytes(count & 0xFFFFF)), packer.flush()])


Entry = tuple[int, int, int, int]
"""TIFF: tag, type, count, value or offset."""
SHORT, LONG = 3, 4


def tiff(*pages: Sequence[Entry], loop: bool = False, tail: bytes = b"") -> bytes:
    """A little-endian TIFF of directories in a row; the last one points nowhere, or to the first for ever."""
    out = b"II*\0" + struct.pack("<I", 8)
    for number, entries in enumerate(pages):
        after = len(out) + 2 + 12 * len(entries) + 4
        last = number == len(pages) - 1
        following = (8 if loop else 0) if last else after
        out += struct.pack("<H", len(entries))
        out += b"".join(struct.pack("<HHII", *entry) for entry in entries)
        out += struct.pack("<I", following)
    return out + tail


def page(width: int, height: int, **other: int) -> list[Entry]:
    """The entries of one plain TIFF page; `other` replaces them by name."""
    values = {"width": width, "height": height, "bits": 8, "compression": 1, "photometric": 1, "offset": 8} | other
    return [
        (254, LONG, 1, values.get("subfile", 0)),
        (256, LONG, 1, values["width"]),
        (257, LONG, 1, values["height"]),
        (258, SHORT, 1, values["bits"]),
        (259, SHORT, 1, values["compression"]),
        (262, SHORT, 1, values["photometric"]),
        (273, LONG, 1, values["offset"]),
        (277, SHORT, 1, values.get("samples", 1)),
        (278, LONG, 1, values["height"]),
        (279, LONG, 1, values.get("bytes", 1)),
    ]


def segment(marker: int, body: bytes) -> bytes:
    """One JPEG segment."""
    return bytes([0xFF, marker]) + struct.pack(">H", len(body) + 2) + body


def with_segment(jpeg: bytes, marker: int, body: bytes) -> bytes:
    """The JPEG with one more segment at its beginning."""
    return jpeg[:2] + segment(marker, body) + jpeg[2:]


def pdf(objects: Mapping[int, bytes], root: int = 1, *, trailer: bytes = b"", shift: int = 0) -> bytes:
    """A PDF of these numbered objects with a right cross reference; `shift` makes every offset wrong."""
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    places = {}
    for number, body in objects.items():
        places[number] = len(out)
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    start = len(out)
    size = max(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n" % size
    for number in range(1, size):
        out += b"%010d 00000 n \n" % (places.get(number, 0) + shift)
    out += b"trailer\n<< /Size %d /Root %d 0 R %b >>\nstartxref\n%d\n%%%%EOF\n" % (size, root, trailer, start + shift)
    return bytes(out)


def stream(body: bytes, entries: bytes = b"") -> bytes:
    """A PDF stream object with its right length."""
    return b"<< /Length %d %b >>\nstream\n%b\nendstream" % (len(body), entries, body)


FONT = b"<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
TEXT = b"BT /F1 14 Tf 20 250 Td (CAFE MARLOW) Tj 0 -30 Td (2024-05-06) Tj 0 -30 Td (TOTAL EUR 4.50) Tj ET"


def one_page(
    content: bytes | None = None, box: bytes = b"[0 0 200 300]", resources: bytes = FONT, **more: bytes
) -> dict[int, bytes]:
    """The objects of a PDF with one page: catalog 1, pages 2, page 3, content 4; `more` are entries of the page."""
    entries = b" ".join(b"/%b %b" % (name.encode(), value) for name, value in more.items())
    return {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        3: b"<< /Type /Page /Parent 2 0 R /MediaBox %b /Resources %b /Contents 4 0 R %b >>" % (box, resources, entries),
        4: stream(TEXT) if content is None else content,
    }
