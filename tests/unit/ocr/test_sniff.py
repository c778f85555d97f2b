"""What a file is, is told by its bytes and never by its name."""

import pytest

from ledger_tasks.errors import Terminal
from ledger_tasks.ocr.sniff import Kind, sniff


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"%PDF-1.7\n", Kind.PDF),
        (b"junk of a scanner\n%PDF-1.4", Kind.PDF),
        (b"\xff\xd8\xff\xe0", Kind.JPEG),
        (b"\x89PNG\r\n\x1a\n", Kind.PNG),
        (b"II*\x00", Kind.TIFF),
        (b"MM\x00*", Kind.TIFF),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", Kind.WEBP),
        (b"\x00\x00\x00\x18ftypheic", Kind.HEIC),
    ],
)
def test_each_kind_is_known_by_its_bytes(head, kind):
    assert sniff(head) is kind


def test_no_bytes_are_an_empty_file():
    with pytest.raises(Terminal, match="EMPTY_FILE"):
        sniff(b"")


@pytest.mark.parametrize(
    "content",
    [b"receipt.jpg\nother.jpg\n", b"GIF89a", b"PK\x03\x04", b"\x00" * 64, b"<svg/>", b"RIFF\x00\x00\x00\x00WAVE"],
)
def test_anything_else_is_unsupported(content):
    with pytest.raises(Terminal, match="UNSUPPORTED_TYPE"):
        sniff(content)
