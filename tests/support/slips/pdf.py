"""Rows of a slip come in, a born-digital PDF with a text layer goes out."""

from collections.abc import Sequence
from io import BytesIO

from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from tests.support.slips.paint import FACES, font_file
from tests.support.slips.rows import Columns, Gap, Pair, Row, Rule, Text

PAPER_WIDTH, MARGIN, SIZE = 298.0, 20.0, 9.0
"""Points: A6 width, a letter height that is easy to read."""


def text_pdf(rows: Sequence[Row], face: str = "dejavu-sans", password: str | None = None) -> bytes:
    """Set the rows as text on one page, as a till program or a web shop does; the bytes depend on the rows only."""
    names = {False: f"{face}", True: f"{face}-bold"}
    pdfmetrics.registerFont(TTFont(names[False], font_file(FACES[face].regular)))
    pdfmetrics.registerFont(TTFont(names[True], font_file(FACES[face].bold)))
    height = sum(_height(row) for row in rows) + 2 * MARGIN
    target = BytesIO()
    lock = None if password is None else StandardEncryption(password, strength=128)
    canvas = Canvas(target, (PAPER_WIDTH, height), invariant=True, encrypt=lock)
    base = height - MARGIN
    for row in rows:
        base -= _height(row)
        _set(canvas, row, base, names)
    canvas.save()
    return target.getvalue()


def _height(row: Row) -> float:
    lines = row.lines if isinstance(row, Gap) else getattr(row, "scale", 1.0)
    return SIZE * 1.4 * lines


def _set(canvas: Canvas, row: Row, base: float, names: dict[bool, str]) -> None:
    canvas.setFont(names[getattr(row, "bold", False)], SIZE * getattr(row, "scale", 1.0))
    right = PAPER_WIDTH - MARGIN
    match row:
        case Text(align="center"):
            canvas.drawCentredString(PAPER_WIDTH / 2, base, row.text)
        case Text():
            canvas.drawString(MARGIN, base, row.text)
        case Pair():
            canvas.drawString(MARGIN, base, row.left)
            canvas.drawRightString(right, base, row.right)
        case Columns():
            for cell in row.cells:
                spot = MARGIN + cell.at * (right - MARGIN)
                draw = canvas.drawString if cell.align == "left" else canvas.drawRightString
                draw(spot, base, cell.text)
        case Rule():
            canvas.line(MARGIN, base + SIZE / 3, right, base + SIZE / 3)
        case _:
            pass
