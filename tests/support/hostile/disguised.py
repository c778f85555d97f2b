"""Files that are not what they are called, and files that are two things at once."""

import gzip
import zipfile
from collections.abc import Iterator
from io import BytesIO

from tests.support.hostile.case import READ, HostileFile, hostile
from tests.support.hostile.parts import one_page, pdf, saved, with_segment, zeros

TYPE = "UNSUPPORTED_TYPE"


def files() -> Iterator[HostileFile]:
    """All of them."""
    yield from _strangers()
    yield from _polyglots()


def _strangers() -> Iterator[HostileFile]:
    strangers = {
        "list-of-paths.jpg": b"/etc/passwd\n/etc/shadow\n",
        "list-of-one.png": b"/etc/hostname",
        "arguments.jpg": b"@/etc/passwd\n--psm 6\n-l ../../x\n",
        "stdin.tif": b"stdin\n",
        "url.jpg": b"http://192.0.2.1/receipt.jpg\n",
        "script.jpg": b"#!/bin/sh\ntouch /tmp/escaped\n",
        "program.pdf": b"\x7fELF\x02\x01\x01" + bytes(200),
        "windows-program.pdf": b"MZ" + bytes(200),
        "page.webp": b"<!DOCTYPE html><script>fetch('//192.0.2.1')</script>",
        "entity.png": b'<?xml version="1.0"?><!DOCTYPE s [<!ENTITY e SYSTEM "file:///etc/passwd">]><svg>&e;</svg>',
        "drawing.jpg": b'<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>',
        "postscript.jpg": b"%!PS-Adobe-3.0 EPSF-3.0\n(/etc/passwd) (r) file\n",
        "magick.jpg": b"push graphic-context\nfill 'url(https://192.0.2.1/\"|ls \"-la)'\npop graphic-context\n",
        "one-byte.jpg": b"\xff",
        "two-bytes.pdf": b"%P",
        "nothing-but-nul.png": bytes(100_000),
        "spaces.pdf": b" " * 5000,
        "byte-order.jpg": "total 4.50".encode("utf-16"),
        "picture.gif.jpg": saved("GIF"),
        "picture.bmp.png": saved("BMP"),
        "picture.ppm.tif": saved("PPM"),
        "picture.ico.png": saved("ICO"),
        "picture.jp2.jpg": saved("JPEG2000"),
        "picture.avif.heic": saved("AVIF"),
        "picture.psd.tif": b"8BPS\0\x01" + bytes(6) + b"\0\x01" + b"\0\0\x75\x30" * 2 + bytes(400),
        "bomb.gz.pdf": gzip.compress(bytes(1 << 20)),
        "zeros.z.png": zeros(64 << 20),
        "archive.zip.pdf": _zip(),
        "office.docx.pdf": _zip("word/document.xml"),
        "movie.mp4.heic": b"\0\0\0\x18ftypmp42" + bytes(100),
    }  # fmt: skip
    for name, content in strangers.items():
        yield hostile(name, content, TYPE)
    for name in ("empty.pdf", "empty.jpg", "empty.tif", "empty.heic"):
        yield hostile(name, b"", "EMPTY_FILE")
    for name, rest in {"start": b"", "noise": bytes(range(256)), "loop": b"\0\0\0\x08meta" * 50}.items():
        yield hostile(f"heic-{name}.heic", b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + rest, TYPE, "IMAGE_CORRUPT")


def _polyglots() -> Iterator[HostileFile]:
    small, document, archive = saved("JPEG"), pdf(one_page()), _zip()
    yield hostile("jpeg-then-pdf.jpg", small + document, READ)
    yield hostile("jpeg-with-pdf-inside.pdf", with_segment(small, 0xFE, document), READ)
    yield hostile("jpeg-then-zip.jpg", small + archive, READ)
    yield hostile("jpeg-with-script.jpg", with_segment(small, 0xFE, b"<?php system($_GET['c']); ?>"), READ)
    yield hostile("png-then-zip.png", saved("PNG") + archive, READ)
    yield hostile("pdf-then-zip.pdf", document + archive, READ, "PDF_CORRUPT")
    yield hostile("zip-then-pdf.pdf", archive + document, READ, "PDF_CORRUPT")
    yield hostile("pdf-then-jpeg.pdf", document + small, READ, "PDF_CORRUPT")
    yield hostile("gif-with-pdf-header.jpg", saved("GIF")[:200] + b"%PDF-1.7\n", "PDF_CORRUPT", TYPE)
    yield hostile("html-with-pdf-header.html.pdf", b"<script>%PDF-1.4</script>", "PDF_CORRUPT", TYPE)
    yield hostile("pdf-named-jpeg.jpg", document, READ)
    yield hostile("jpeg-named-pdf.pdf", small, READ)
    yield hostile("tiff-with-jpeg-tail.tif", saved("TIFF") + small, READ)


def _zip(name: str = "../../outside.txt") -> bytes:
    target = BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr(zipfile.ZipInfo(name), bytes(300))
    return target.getvalue()
