"""PDFs with broken skeletons, loops, explosions, locks and things that must not be obeyed."""

import zlib
from collections.abc import Iterator
from io import BytesIO

from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from tests.support.hostile.case import READ, HostileFile, hostile
from tests.support.hostile.parts import FONT, TEXT, one_page, pdf, stream, zeros

CORRUPT, LARGE, LOCKED, NONE, MANY = "PDF_CORRUPT", "IMAGE_TOO_LARGE", "PDF_ENCRYPTED", "NO_PAGES", "TOO_MANY_PAGES"
COSTLY = ("TIMEOUT", "MEMORY_LIMIT")
"""Verdicts of what is small and takes for ever: an attempt is spent, never the worker."""
FLATE = b"/Filter /FlateDecode"


def files() -> Iterator[HostileFile]:
    """All of them."""
    yield from _skeletons()
    yield from _pages()
    yield from _explosions()
    yield from _locks()
    yield from _active()
    yield from _texts()


def _skeletons() -> Iterator[HostileFile]:
    whole = pdf(one_page())
    xref, trailer = whole.index(b"xref\n"), whole.index(b"trailer")
    yield hostile("offsets-wrong.pdf", pdf(one_page(), shift=17), READ, CORRUPT)
    yield hostile("no-xref.pdf", whole[:xref] + whole[trailer:], READ, CORRUPT)
    yield hostile("no-trailer.pdf", whole[:trailer], READ, CORRUPT)
    yield hostile("no-end.pdf", whole[: whole.index(b"startxref")], READ, CORRUPT)
    yield hostile(
        "start-beyond.pdf", whole[: whole.index(b"startxref")] + b"startxref\n9999999999\n%%EOF", READ, CORRUPT
    )
    yield hostile("start-negative.pdf", whole[: whole.index(b"startxref")] + b"startxref\n-5\n%%EOF", READ, CORRUPT)
    yield hostile("no-root.pdf", whole.replace(b"/Root 1 0 R", b""), CORRUPT, READ)
    yield hostile("root-missing.pdf", pdf(one_page(), root=99), CORRUPT, READ)
    yield hostile("root-is-page.pdf", pdf(one_page(), root=3), CORRUPT, READ, NONE)
    yield hostile("previous-loop.pdf", pdf(one_page(), trailer=b"/Prev %d" % xref), READ, CORRUPT)
    yield hostile("size-lies.pdf", whole.replace(b"/Size 5", b"/Size 2147483647"), READ, CORRUPT)
    yield hostile("header-only.pdf", b"%PDF-1.7\n", CORRUPT)
    yield hostile("header-and-end.pdf", b"%PDF-1.7\n%%EOF\n", CORRUPT)
    yield hostile("header-late.pdf", b"junk " * 150 + whole, READ, CORRUPT)
    yield hostile("header-too-late.pdf", b"junk " * 400 + whole, "UNSUPPORTED_TYPE")
    yield hostile("version-9.pdf", whole.replace(b"%PDF-1.7", b"%PDF-9.9"), READ, CORRUPT)
    yield hostile("twice.pdf", whole + whole, READ, CORRUPT)
    yield hostile("lines-mac.pdf", whole.replace(b"\n", b"\r"), READ, CORRUPT)
    yield hostile("lines-windows.pdf", whole.replace(b"\n", b"\r\n"), READ, CORRUPT)
    yield hostile("nul-filled.pdf", whole[:40] + bytes(len(whole) - 40), CORRUPT)
    yield hostile(
        "length-of-itself.pdf", pdf(one_page(b"<< /Length 4 0 R >>\nstream\n" + TEXT + b"\nendstream")), READ, CORRUPT
    )
    yield hostile(
        "length-negative.pdf", pdf(one_page(b"<< /Length -7 >>\nstream\n" + TEXT + b"\nendstream")), READ, CORRUPT
    )
    yield hostile("length-huge.pdf", pdf(one_page(b"<< /Length 99999999999 >>\nstream\n" + TEXT)), READ, CORRUPT)
    yield hostile(
        "object-stream-loop.pdf",
        pdf(one_page() | {5: stream(b"6 0 ", b"/Type /ObjStm /N 1 /First 4 /Extends 5 0 R")}),
        READ,
        CORRUPT,
    )
    wide = stream(b"\0" * 64, b"/Type /XRef /Size 9 /Root 1 0 R /W [2147483647 2147483647 1] /Index [0 9]")
    yield hostile("xref-stream-wide.pdf", b"%PDF-1.7\n5 0 obj\n" + wide + b"\nendobj\nstartxref\n9\n%%EOF", CORRUPT)
    deep = b"[" * 100_000 + b"]" * 100_000
    yield hostile(
        "arrays-deep.pdf",
        pdf(one_page() | {1: b"<< /Type /Catalog /Pages 2 0 R /Deep %b >>" % deep}),
        READ,
        CORRUPT,
        NONE,
    )
    nested = b"<< /A " * 50_000 + b"1" + b" >>" * 50_000
    yield hostile("dictionaries-deep.pdf", pdf(one_page() | {5: nested}), READ, CORRUPT)


def _pages() -> Iterator[HostileFile]:
    def tree(kids: bytes, count: bytes) -> bytes:
        return pdf(one_page() | {2: b"<< /Type /Pages /Kids [%b] /Count %b >>" % (kids, count)})

    yield hostile("no-pages.pdf", tree(b"", b"0"), NONE, CORRUPT)
    yield hostile("pages-missing.pdf", tree(b"77 0 R", b"1"), NONE, CORRUPT, READ)
    yield hostile("pages-loop.pdf", tree(b"2 0 R", b"1"), NONE, CORRUPT, READ)
    yield hostile("pages-loop-wide.pdf", tree(b"2 0 R " * 50, b"50"), NONE, CORRUPT, READ)
    yield hostile("pages-same-ten-thousand.pdf", tree(b"3 0 R " * 10_000, b"10000"), MANY)
    yield hostile("count-lies-up.pdf", tree(b"3 0 R", b"2147483647"), MANY, CORRUPT, READ)
    yield hostile("count-lies-down.pdf", tree(b"3 0 R", b"-1"), NONE, CORRUPT, READ)
    yield hostile("count-zero.pdf", tree(b"3 0 R", b"0"), NONE, CORRUPT, READ)
    kids = b" ".join(b"%d 0 R" % number for number in range(10, 10_010))
    many = one_page() | {2: b"<< /Type /Pages /Kids [%b] /Count 10000 >>" % kids}
    each = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 300] >>"
    yield hostile("ten-thousand-pages.pdf", pdf(many | dict.fromkeys(range(10, 10_010), each)), MANY)
    yield hostile("page-is-text.pdf", pdf(one_page() | {3: b"(not a page)"}), CORRUPT, NONE, READ)
    boxes = {
        "huge": b"[0 0 1000000 1000000]", "largest": b"[0 0 1e30 1e30]", "negative": b"[0 0 -200 -300]",
        "empty": b"[0 0 0 0]", "line": b"[0 0 14400 0.001]", "inverted": b"[200 300 0 0]", "short": b"[0 0]",
        "words": b"[(a) (b) (c) (d)]", "far": b"[1e9 1e9 1000000200 1000000300]",
    }  # fmt: skip
    for name, box in boxes.items():
        yield hostile(f"box-{name}.pdf", pdf(one_page(box=box)), READ, CORRUPT, LARGE)
    yield hostile("unit-huge.pdf", pdf(one_page(UserUnit=b"1000000")), READ, CORRUPT, LARGE)
    yield hostile("rotate-odd.pdf", pdf(one_page(Rotate=b"37")), READ)
    yield hostile("rotate-huge.pdf", pdf(one_page(Rotate=b"99999999990")), READ, CORRUPT)
    yield hostile(
        "content-missing.pdf",
        pdf(one_page() | {3: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 300] /Contents 9 0 R >>"}),
        READ,
    )


def _explosions() -> Iterator[HostileFile]:
    yield hostile("content-zeros-200-mb.pdf", pdf(one_page(stream(zeros(200 << 20), FLATE))), READ, CORRUPT, *COSTLY)
    twice = zlib.compress(zeros(500 << 20), 9)
    yield hostile(
        "content-500-mb-twice-packed.pdf",
        pdf(one_page(stream(twice, b"/Filter [/FlateDecode /FlateDecode]"))),
        READ,
        CORRUPT,
        *COSTLY,
    )
    saves = zlib.compress(b"q " * 5_000_000, 9)
    yield hostile("states-five-million.pdf", pdf(one_page(stream(saves, FLATE))), READ, CORRUPT, *COSTLY)
    lines = zlib.compress(b"0 0 m 200 300 l S " * 300_000, 9)
    yield hostile("lines-three-hundred-thousand.pdf", pdf(one_page(stream(lines, FLATE))), READ, *COSTLY)
    yield hostile(
        "filters-hundred.pdf", pdf(one_page(stream(b"x", b"/Filter [%b]" % (b"/FlateDecode " * 100)))), READ, CORRUPT
    )
    yield hostile("filter-unknown.pdf", pdf(one_page(stream(b"x", b"/Filter /NoSuchFilter"))), READ, CORRUPT)
    form = b"/Type /XObject /Subtype /Form /BBox [0 0 200 300] /Resources << /XObject << /X %d 0 R >> >>"
    uses = b"<< /XObject << /X 5 0 R >> >>"
    yield hostile(
        "form-of-itself.pdf",
        pdf(one_page(stream(b"/X Do"), resources=uses) | {5: stream(b"/X Do", form % 5)}),
        READ,
        CORRUPT,
    )
    laughs = {number: stream(b"/X Do " * 10, form % (number + 1)) for number in range(5, 13)}
    yield hostile(
        "forms-billion.pdf",
        pdf(one_page(stream(b"/X Do"), resources=uses) | laughs | {13: stream(b"0 0 1 1 re f", form % 14)}),
        READ,
        CORRUPT,
        *COSTLY,
    )
    picture = b"/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray /BitsPerComponent 8 "
    for name, (width, height) in {
        "bomb": (60_000, 60_000),
        "widest": (2**31 - 1, 1),
        "negative": (-5, -5),
        "empty": (0, 0),
    }.items():
        drawn = one_page(stream(b"200 0 0 300 0 0 cm /X Do"), resources=uses)
        verdicts = (LARGE,) if name == "bomb" else (LARGE, READ, CORRUPT)
        yield hostile(
            f"picture-{name}.pdf",
            pdf(drawn | {5: stream(zlib.compress(b"x"), picture % (width, height) + FLATE)}),
            *verdicts,
        )
    for filter_name in (
        b"DCTDecode",
        b"JPXDecode",
        b"JBIG2Decode",
        b"CCITTFaxDecode",
        b"LZWDecode",
        b"RunLengthDecode",
    ):
        drawn = one_page(stream(b"200 0 0 300 0 0 cm /X Do"), resources=uses)
        junk = stream(bytes(range(256)) * 4, picture % (100, 100) + b"/Filter /" + filter_name)
        yield hostile(f"picture-{filter_name.decode()}-junk.pdf", pdf(drawn | {5: junk}), READ, CORRUPT)
    mask = picture % (100, 100) + b"/SMask 5 0 R"
    drawn = one_page(stream(b"200 0 0 300 0 0 cm /X Do"), resources=uses)
    yield hostile("mask-of-itself.pdf", pdf(drawn | {5: stream(bytes(10_000), mask)}), READ, CORRUPT)
    tiling = (
        b"/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 1 1] "
        b"/XStep 0.0001 /YStep 0.0001 /Resources << >>"
    )
    painted = one_page(stream(b"/Pattern cs /P scn 0 0 200 300 re f"), resources=b"<< /Pattern << /P 5 0 R >> >>")
    yield hostile("pattern-tiny-steps.pdf", pdf(painted | {5: stream(b"0 0 1 1 re f", tiling)}), READ, CORRUPT, *COSTLY)
    function = b"<< /FunctionType 3 /Domain [0 1] /Functions [6 0 R] /Bounds [] /Encode [0 1] >>"
    shading = b"<< /ShadingType 2 /ColorSpace /DeviceGray /Coords [0 0 1 1] /Function 6 0 R >>"
    shaded = one_page(stream(b"/S sh"), resources=b"<< /Shading << /S 5 0 R >> >>")
    yield hostile("function-of-itself.pdf", pdf(shaded | {5: shading, 6: function}), READ, CORRUPT)


def _locks() -> Iterator[HostileFile]:
    for strength in (40, 128):
        yield hostile(
            f"locked-{strength}.pdf", _locked(StandardEncryption("secret", "owner", strength=strength)), LOCKED
        )
    yield hostile("locked-for-change-only.pdf", _locked(StandardEncryption("", "owner", strength=128)), READ)
    locks = {
        "unknown": b"<< /Filter /NoSuchHandler /V 9 >>",
        "public-key": b"<< /Filter /Adobe.PubSec /V 4 /SubFilter /adbe.pkcs7.s5 /Recipients [(x)] >>",
        "empty": b"<< >>",
        "broken": b"<< /Filter /Standard /V 2 /R 3 /Length 128 /O (short) /U (short) /P -4 >>",
    }
    for name, lock in locks.items():
        verdicts = (LOCKED, CORRUPT, READ) if name == "empty" else (LOCKED, CORRUPT)
        body = pdf(one_page() | {5: lock}, trailer=b"/Encrypt 5 0 R /ID [(a) (a)]")
        yield hostile(f"lock-{name}.pdf", body, *verdicts)


def _locked(lock: StandardEncryption) -> bytes:
    target = BytesIO()
    canvas = Canvas(target, (200, 300), encrypt=lock, invariant=True)
    canvas.drawString(20, 200, "TOTAL 4.50 EUR on 2024-05-06")
    canvas.save()
    return target.getvalue()


def _active() -> Iterator[HostileFile]:
    actions = {
        "javascript": b"<< /S /JavaScript /JS (app.launchURL\\('http://192.0.2.1/'\\); while\\(1\\){}) >>",
        "launch": b"<< /S /Launch /F (/bin/sh) >>",
        "uri": b"<< /S /URI /URI (http://192.0.2.1/track) >>",
        "elsewhere": b"<< /S /GoToR /F (/etc/passwd) /D [0 /Fit] >>",
        "submit": b"<< /S /SubmitForm /F << /FS /URL /F (http://192.0.2.1/) >> >>",
    }
    for name, action in actions.items():
        opened = one_page() | {1: b"<< /Type /Catalog /Pages 2 0 R /OpenAction %b >>" % action}
        yield hostile(f"action-{name}.pdf", pdf(opened), READ)
    yield hostile(
        "content-from-file.pdf", pdf(one_page(b"<< /Length 0 /F (/etc/passwd) >>\nstream\n\nendstream")), READ, CORRUPT
    )
    form = b"<< /Type /Catalog /Pages 2 0 R /AcroForm << /XFA 5 0 R /Fields [] >> >>"
    entity = b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>'
    yield hostile("form-xfa.pdf", pdf(one_page() | {1: form, 5: stream(entity)}), READ)
    attached = b"<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles << /Names [(../../x) 5 0 R] >> >> >>"
    embedded = {1: attached, 5: b"<< /Type /Filespec /F (../../x) /EF << /F 6 0 R >> >>", 6: stream(b"MZ")}
    yield hostile("attachment-outside.pdf", pdf(one_page() | embedded), READ)
    names = {1: b"<< /Type /Catalog /Pages 2 0 R /Names << /Dests 5 0 R >> >>", 5: b"<< /Kids [5 0 R] >>"}
    yield hostile("names-loop.pdf", pdf(one_page() | names), READ)
    outlines = {
        1: b"<< /Type /Catalog /Pages 2 0 R /Outlines 5 0 R >>",
        5: b"<< /First 5 0 R /Last 5 0 R /Next 5 0 R >>",
    }
    yield hostile("outline-loop.pdf", pdf(one_page() | outlines), READ)


def _texts() -> Iterator[HostileFile]:
    odd = b"BT /F1 10 Tf 20 200 Td (TOTAL \\000\\001\\002\\037 4.50 EUR 2024-05-06 CAFE MARLOW) Tj ET"
    yield hostile("text-controls.pdf", pdf(one_page(stream(odd))), READ)
    mapping = (
        b"/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange "
        b"1 beginbfrange <20> <7E> <%b> endbfrange endcmap end"
    )
    for name, first in {"surrogates": b"D800", "nul": b"0000", "private": b"E000", "right-to-left": b"202E"}.items():
        font = b"<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 5 0 R >> >> >>"
        yield hostile(f"text-as-{name}.pdf", pdf(one_page(resources=font) | {5: stream(mapping % first)}), READ)
    file = (
        b"<< /Font << /F1 << /Type /Font /Subtype /TrueType /BaseFont /X /FontDescriptor "
        b"<< /Type /FontDescriptor /FontName /X /Flags 4 /FontFile2 5 0 R >> >> >> >>"
    )
    yield hostile("font-junk.pdf", pdf(one_page(resources=file) | {5: stream(bytes(range(256)) * 40)}), READ)
    own = (
        b"<< /Font << /F1 << /Type /Font /Subtype /Type3 /FontBBox [0 0 1 1] /FontMatrix [1 0 0 1 0 0] "
        b"/CharProcs << /a 5 0 R >> /Encoding << /Differences [65 /a] >> /FirstChar 65 /LastChar 65 "
        b"/Widths [1] /Resources %b >> >> >>"
    )
    recursive = one_page(stream(b"BT /F1 9 Tf (AAAA) Tj ET"), resources=own % FONT)
    yield hostile("font-of-itself.pdf", pdf(recursive | {5: stream(b"1 0 d0 BT /F1 1 Tf (A) Tj ET")}), READ, CORRUPT)
    flood = b"BT /F1 1 Tf " + b"1 0 0 1 0 0 Tm (TOTAL 4.50 2024-05-06 flood of text ) Tj " * 60_000 + b"ET"
    yield hostile(
        "text-flood.pdf", pdf(one_page(stream(zlib.compress(flood), FLATE))), READ, "RESULT_TOO_LARGE", *COSTLY
    )
    far = b"BT /F1 1e9 Tf 1e30 -1e30 Td (TOTAL 4.50 EUR on 2024-05-06 at CAFE MARLOW) Tj ET"
    yield hostile("text-far-away.pdf", pdf(one_page(stream(far))), READ)
