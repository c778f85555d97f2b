"""Small receipts in large numbers: a number comes in, a one-page PDF with a text layer and its total go out."""

import hashlib
from decimal import Decimal
from pathlib import Path

from contracts.receipts.work import ProcessReceipt, process


def total_of(number: int) -> Decimal:
    return Decimal(number * 7 % 9000 + 101) / 100


def make_slips(root: Path, count: int) -> list[ProcessReceipt]:
    """Write `count` receipts of different content below the root, and return their v1 works."""
    works = []
    for number in range(count):
        path = root / "chaos" / f"{number:05}.pdf"
        path.parent.mkdir(exist_ok=True)
        content = slip(number)
        path.write_bytes(content)
        works.append(process(hashlib.sha256(content).hexdigest(), path.relative_to(root).as_posix()))
    return works


def slip(number: int) -> bytes:
    total = total_of(number)
    lines = (
        f"Corner Shop {number} Ltd",
        "12 Mill Lane Leeds",
        f"Date 2026-08-{number % 28 + 1:02}",
        f"Goods {total}",
        f"TOTAL GBP {total}",
        f"CASH {total}",
    )
    shown = " ".join(f"({line}) Tj T*" for line in lines)
    stream = f"BT /F1 12 Tf 40 800 Td 16 TL {shown} ET"
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    page = (
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>"
    )
    return document(
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        page,
        f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        font,
    )


def document(*objects: str) -> bytes:
    """Put PDF objects, numbered from 1, into a file with its cross-reference table."""
    body, offsets = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{each}\nendobj\n".encode()
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    head = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    tail = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    return body + (head + tail).encode()
