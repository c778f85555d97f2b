"""Pictures whose headers lie, whose streams explode and whose EXIF is odd."""

import struct
import zlib
from collections.abc import Iterator

from PIL import Image

from tests.support.hostile.case import READ, HostileFile, hostile
from tests.support.hostile.parts import (
    GRAY,
    LONG,
    PALETTE,
    PNG,
    RGB,
    SHORT,
    chunk,
    header,
    page,
    png,
    saved,
    segment,
    slip,
    tiff,
    with_segment,
    zeros,
)

CORRUPT, LARGE, TYPE = "IMAGE_CORRUPT", "IMAGE_TOO_LARGE", "UNSUPPORTED_TYPE"
HUGE = 45_000
DEEP = 0x7FFFFFFF


def files() -> Iterator[HostileFile]:
    """All of them."""
    yield from _png()
    yield from _tiff()
    yield from _jpeg()
    yield from _webp()
    yield from _exif()


def _png() -> Iterator[HostileFile]:
    row = HUGE // 8 + 1
    data = chunk(b"IDAT", zlib.compress(bytes(1000)))
    yield hostile("bomb-complete.png", png(header(HUGE, HUGE), chunk(b"IDAT", zeros(row * HUGE))), LARGE)
    yield hostile("bomb-header-only.png", png(header(HUGE, HUGE), data), LARGE)
    yield hostile("bomb-interlaced.png", png(header(HUGE, HUGE, interlace=1), data), LARGE)
    yield hostile("bomb-rgb16.png", png(header(20_000, 20_000, 16, RGB), data), LARGE)
    yield hostile("bomb-palette.png", png(header(30_000, 30_000, 8, PALETTE), chunk(b"PLTE", bytes(3)), data), LARGE)
    yield hostile("widest.png", png(header(DEEP, 1), data), LARGE, CORRUPT)
    yield hostile("tallest.png", png(header(1, DEEP), data), LARGE, CORRUPT)
    yield hostile("largest.png", png(header(DEEP, DEEP), data), LARGE, CORRUPT)
    yield hostile("negative-size.png", png(header(0xFFFFFFFF, 0xFFFFFFFF), data), LARGE, CORRUPT)
    yield hostile("no-width.png", png(header(0, 10), data), CORRUPT)
    yield hostile("no-area.png", png(header(0, 0), data), CORRUPT)
    yield hostile("thin-line.png", png(header(60_000_000, 1), chunk(b"IDAT", zeros(7_500_001))), LARGE, CORRUPT)
    for depth, colour in ((3, GRAY), (8, 5), (64, GRAY), (1, RGB), (16, PALETTE)):
        yield hostile(f"depth-{depth}-colour-{colour}.png", png(header(10, 10, depth, colour), data), CORRUPT)
    small = saved("PNG")
    yield hostile("no-data.png", png(header(100, 100)), CORRUPT)
    yield hostile("data-not-deflate.png", png(header(100, 100), chunk(b"IDAT", b"not deflate at all")), CORRUPT)
    yield hostile("data-too-short.png", png(header(100, 100), chunk(b"IDAT", zlib.compress(b"\0"))), CORRUPT)
    yield hostile("data-explodes.png", png(header(64, 64), chunk(b"IDAT", zeros(200 << 20))), READ, CORRUPT)
    yield hostile("length-lies.png", PNG + header(100, 100) + struct.pack(">I", DEEP) + b"IDAT", CORRUPT)
    yield hostile("length-negative.png", PNG + struct.pack(">I", 0xFFFFFFFF) + b"IHDR", CORRUPT)
    yield hostile("two-headers.png", small[:33] + header(HUGE, HUGE) + small[33:], READ, CORRUPT, LARGE)
    yield hostile("wrong-checksum.png", small[:29] + b"\0\0\0\0" + small[33:], CORRUPT)
    yield hostile("signature-only.png", PNG, CORRUPT)
    yield hostile("no-end.png", small[:-12], READ, CORRUPT)
    text = chunk(b"zTXt", b"Comment\0\0" + zeros(100 << 20))
    yield hostile("text-explodes.png", small[:33] + text + small[33:], READ, CORRUPT, LARGE)
    profile = chunk(b"iCCP", b"profile\0\0" + zeros(100 << 20))
    yield hostile("profile-explodes.png", small[:33] + profile + small[33:], READ, CORRUPT, LARGE)
    many = b"".join(chunk(b"tEXt", b"k%d\0v" % number) for number in range(50_000))
    yield hostile("fifty-thousand-texts.png", small[:33] + many + small[33:], READ, CORRUPT)
    frames = saved("PNG", save_all=True, append_images=[slip().rotate(number) for number in range(40)])
    yield hostile("forty-frames.png", frames, READ)
    forged = small[:33] + chunk(b"acTL", struct.pack(">II", DEEP, 0)) + small[33:]
    yield hostile("frames-promised.png", forged, READ, CORRUPT)


def _tiff() -> Iterator[HostileFile]:
    yield hostile("bomb.tif", tiff(page(HUGE, HUGE)), LARGE)
    yield hostile("bomb-deflate.tif", tiff(page(HUGE, HUGE, compression=8)), LARGE)
    yield hostile("bomb-group4.tif", tiff(page(HUGE, HUGE, bits=1, compression=4)), LARGE)
    yield hostile("bomb-second-page.tif", tiff(page(4, 2), page(HUGE, HUGE)), LARGE, CORRUPT)
    yield hostile("largest.tif", tiff(page(0xFFFFFFFF, 0xFFFFFFFF)), LARGE, CORRUPT)
    yield hostile("no-area.tif", tiff(page(0, 0)), CORRUPT)
    yield hostile("loop.tif", tiff(page(4, 2), loop=True, tail=bytes(8)), READ, CORRUPT)
    yield hostile("loop-of-three.tif", tiff(page(4, 2), page(4, 2), page(4, 2), loop=True), READ, CORRUPT)
    yield hostile("five-thousand-pages.tif", tiff(*[page(4, 2)] * 5000), "TOO_MANY_PAGES")
    yield hostile("only-thumbnails.tif", tiff(page(4, 2, subfile=1), page(4, 2, subfile=1)), "NO_PAGES")
    yield hostile("no-directory.tif", b"II*\0" + bytes(4), "NO_PAGES", CORRUPT)
    yield hostile("directory-beyond.tif", b"II*\0" + struct.pack("<I", DEEP), CORRUPT)
    yield hostile("directory-empty.tif", tiff([]), CORRUPT)
    yield hostile("strip-beyond.tif", tiff(page(100, 100, offset=DEEP, bytes=10_000)), CORRUPT)
    yield hostile("strip-too-long.tif", tiff(page(100, 100, bytes=0xFFFFFFFF)), CORRUPT, READ)
    yield hostile("compression-unknown.tif", tiff(page(10, 10, compression=0x7777)), CORRUPT)
    yield hostile("bits-odd.tif", tiff(page(10, 10, bits=77)), CORRUPT)
    yield hostile("samples-many.tif", tiff(page(10, 10, samples=65_535)), CORRUPT)
    yield hostile("count-lies.tif", tiff([(256, LONG, 0xFFFFFFFF, 8), (257, LONG, 0xFFFFFFFF, 8)]), CORRUPT, LARGE)
    yield hostile("type-unknown.tif", tiff([(256, 99, 1, 10), (257, 99, 1, 10)]), CORRUPT)
    yield hostile("entries-many.tif", tiff([(40_000 + number, SHORT, 1, 1) for number in range(20_000)]), CORRUPT)
    yield hostile("big-tiff.tif", b"II+\0\x08\0\0\0" + struct.pack("<Q", 2**62), CORRUPT)
    deflated = zeros(8000 * 8000)
    whole = tiff(page(8000, 8000, compression=8, offset=8 + 2 + 120 + 4, bytes=len(deflated)), tail=deflated)
    yield hostile("just-small-enough.tif", whole, READ)


def _jpeg() -> Iterator[HostileFile]:
    small = saved("JPEG")
    frame = small.index(b"\xff\xc0")

    def sized(width: int, height: int) -> bytes:
        return small[: frame + 5] + struct.pack(">HH", height, width) + small[frame + 9 :]

    yield hostile("bomb.jpg", sized(65_500, 65_500), LARGE)
    yield hostile("no-area.jpg", sized(0, 0), CORRUPT)
    yield hostile("no-height.jpg", sized(100, 0), CORRUPT)
    yield hostile("taller-than-data.jpg", sized(240, 20_000), READ, CORRUPT)
    yield hostile("start-only.jpg", b"\xff\xd8\xff", CORRUPT)
    yield hostile("start-and-end.jpg", b"\xff\xd8\xff\xd9", CORRUPT)
    yield hostile("no-tables.jpg", b"\xff\xd8" + small[frame:], CORRUPT, READ)
    yield hostile("segment-beyond.jpg", b"\xff\xd8\xff\xe0\xff\xff", CORRUPT)
    yield hostile("segment-short.jpg", b"\xff\xd8\xff\xe0\x00\x01" + small[2:], CORRUPT, READ)
    yield hostile("fill-bytes.jpg", small[:2] + b"\xff" * 200_000 + small[2:], READ, CORRUPT)
    comments = b"".join(segment(0xFE, b"c" * 65_000) for _ in range(30))
    yield hostile("comments-2-mb.jpg", small[:2] + comments + small[2:], READ)
    yield hostile("profile-broken.jpg", with_segment(small, 0xE2, b"ICC_PROFILE\0\x01\x01" + b"\xff" * 500), READ)
    yield hostile("profile-parts-lie.jpg", with_segment(small, 0xE2, b"ICC_PROFILE\0\x09\xff" + bytes(99)), READ)
    yield hostile("adobe-broken.jpg", with_segment(small, 0xEE, b"Adobe"), READ, CORRUPT)
    yield hostile("cmyk.jpg", saved("JPEG", Image.merge("CMYK", [slip()] * 4)), READ)
    scans = saved("JPEG", Image.new("L", (4000, 4000), 200), progressive=True, quality=50)
    last = scans.rindex(b"\xff\xda")
    yield hostile("two-thousand-scans.jpg", scans[:-2] + scans[last:-2] * 2000 + scans[-2:], READ, CORRUPT, "TIMEOUT")
    yield hostile("two-pictures.jpg", saved("JPEG") + saved("JPEG"), READ)
    yield hostile("preview-bomb.jpg", _mpo(small, sized(65_500, 65_500)), READ, CORRUPT, LARGE)
    yield hostile("lossless-frame.jpg", small.replace(b"\xff\xc0", b"\xff\xc3", 1), CORRUPT)
    yield hostile("arithmetic-frame.jpg", small.replace(b"\xff\xc0", b"\xff\xc9", 1), CORRUPT, READ)


def _mpo(first: bytes, second: bytes) -> bytes:
    """Two pictures in one JPEG, the second a bomb."""
    directory = b"MPF\0II*\0" + struct.pack("<I", 8) + struct.pack("<H", 2)
    directory += struct.pack("<HHI4s", 0xB000, 7, 4, b"0100") + struct.pack("<HHII", 0xB001, LONG, 1, 2) + bytes(4)
    return with_segment(first, 0xE2, directory) + second


def _webp() -> Iterator[HostileFile]:
    small = saved("WEBP")
    blank = saved("WEBP", Image.new("L", (16_383, 16_383), 255), lossless=True, method=0, quality=0)
    yield hostile("bomb.webp", blank, LARGE)
    canvas = b"VP8X" + struct.pack("<I", 10) + bytes(4) + b"\xff\xff\xff" * 2
    yield hostile("canvas-lies.webp", _riff(canvas + small[12:]), LARGE, CORRUPT)
    yield hostile("no-picture.webp", _riff(canvas), CORRUPT, LARGE)
    yield hostile("length-lies.webp", small[:4] + b"\xff\xff\xff\x7f" + small[8:], READ, CORRUPT)
    yield hostile("length-zero.webp", small[:4] + bytes(4) + small[8:], READ, CORRUPT)
    yield hostile("header-only.webp", small[:12], CORRUPT)
    moving = saved("WEBP", save_all=True, append_images=[slip().rotate(number) for number in range(1, 60)])
    yield hostile("sixty-frames.webp", moving, READ)
    yield hostile("audio.webp", b"RIFF\x10\0\0\0WEBPfmt \x04\0\0\0\x01\0\x01\0", CORRUPT)


def _riff(body: bytes) -> bytes:
    return b"RIFF" + struct.pack("<I", len(body) + 4) + b"WEBP" + body


def _exif() -> Iterator[HostileFile]:
    small = saved("JPEG")

    def with_exif(body: bytes) -> bytes:
        return with_segment(small, 0xE1, b"Exif\0\0" + body)

    for value in (0, 9, 255, 65_535):
        yield hostile(f"orientation-{value}.jpg", with_exif(tiff([(0x112, SHORT, 1, value)])), READ)
    yield hostile("orientation-text.jpg", with_exif(tiff([(0x112, 2, 4, 0x41414141)])), READ)
    yield hostile("orientation-long.jpg", with_exif(tiff([(0x112, LONG, 1, 6)])), READ)
    yield hostile("orientation-fraction.jpg", with_exif(tiff([(0x112, 5, 1, 0)])), READ)
    yield hostile("orientation-list.jpg", with_exif(tiff([(0x112, SHORT, 3, 8)])), READ)
    yield hostile("orientation-beyond.jpg", with_exif(tiff([(0x112, SHORT, 0xFFFFFFF, 0xFFFFFFF0)])), READ)
    yield hostile("exif-loop.jpg", with_exif(tiff([(0x112, SHORT, 1, 6)], loop=True)), READ)
    yield hostile("exif-inside-itself.jpg", with_exif(tiff([(0x8769, LONG, 1, 8), (0x112, SHORT, 1, 3)])), READ)
    yield hostile("exif-cut.jpg", with_exif(b"II*\0\x08\0\0\0\xff\xff"), READ)
    yield hostile("exif-empty.jpg", with_exif(b""), READ)
    yield hostile("exif-noise.jpg", with_exif(bytes(range(256)) * 100), READ)
    yield hostile("exif-twice.jpg", with_segment(with_exif(tiff([(0x112, SHORT, 1, 6)])), 0xE1, b"Exif\0\0MM\0*"), READ)
    entries = [(0x112, SHORT, 1, 6)] * 5000
    yield hostile("orientation-5000-times.jpg", with_exif(tiff(entries)), READ)
    yield hostile("exif.png", saved("PNG", exif=b"Exif\0\0II*\0\xff\xff\xff\x7f"), READ)
