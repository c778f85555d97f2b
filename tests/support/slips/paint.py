"""Rows of a slip come in, a gray picture of printed paper goes out."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from PIL import Image, ImageDraw, ImageFont

from tests.support.slips.rows import Bars, Columns, Gap, Pair, Row, Rule, Text

PAPER, INK = 255, 0
PACKAGES = "fonts-dejavu-core fonts-liberation2 fonts-paratype"


@dataclass(frozen=True)
class Face:
    """The files of one typeface; Pillow finds them by name in the system's font folders."""

    regular: str
    bold: str
    share: int
    """How often tills print like this, against the others."""


FACES = {
    "dejavu-mono": Face("DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf", 4),
    "dejavu-sans": Face("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", 2),
    "liberation-mono": Face("LiberationMono-Regular.ttf", "LiberationMono-Bold.ttf", 4),
    "liberation-sans": Face("LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf", 3),
    "liberation-serif": Face("LiberationSerif-Regular.ttf", "LiberationSerif-Bold.ttf", 1),
    "pt-mono": Face("PTM55F.ttf", "PTM75F.ttf", 3),
    "pt-narrow": Face("PTN57F.ttf", "PTN77F.ttf", 2),
}


@dataclass(frozen=True)
class Press:
    """The printer: typeface, letter height, paper width and margin in pixels, distance of lines in letter heights."""

    face: str = "dejavu-mono"
    size: int = 22
    width: int = 576
    margin: int = 24
    leading: float = 1.3


def paint(rows: Sequence[Row], press: Press) -> Image.Image:
    """Print the rows on paper as long as they need, mode L."""
    heights = [_height(row, press) for row in rows]
    paper = Image.new("L", (press.width, sum(heights) + 4 * press.margin), PAPER)
    pen = ImageDraw.Draw(paper)
    top = 2 * press.margin
    for row, height in zip(rows, heights, strict=True):
        _row(pen, row, top, press)
        top += height
    return paper


def font_file(name: str) -> str:
    """Where the system keeps this font."""
    return str(_load(name, 10).path)


def covers(face: str, rows: Sequence[Row]) -> bool:
    """Whether the typeface has a glyph for every letter of the rows."""
    font = _load(FACES[face].regular, 20)
    missing = bytes(font.getmask("\uffff"))
    letters = set().union(*(_letters(row) for row in rows)) - {" "}
    return all(bytes(font.getmask(letter)) != missing for letter in letters)


def _letters(row: Row) -> set[str]:
    match row:
        case Text():
            return set(row.text)
        case Pair():
            return set(row.left + row.right)
        case Columns():
            return set("".join(cell.text for cell in row.cells))
        case _:
            return set()


def _height(row: Row, press: Press) -> int:
    match row:
        case Text() | Pair():
            return round(press.size * press.leading * row.scale)
        case Gap():
            return round(press.size * press.leading * row.lines)
        case Bars():
            return 4 * press.size
        case Columns() | Rule():
            return round(press.size * press.leading)


def _row(pen: ImageDraw.ImageDraw, row: Row, top: int, press: Press) -> None:
    match row:
        case Text():
            _text(pen, row, top, press)
        case Pair():
            _pair(pen, row, top, press)
        case Columns():
            _columns(pen, row, top, press)
        case Rule():
            _rule(pen, row, top, press)
        case Bars():
            _bars(pen, row, top, press)
        case Gap():
            pass


def _pair(pen: ImageDraw.ImageDraw, row: Pair, top: int, press: Press) -> None:
    left, right = press.margin, press.width - press.margin
    font = _font(press, row.scale, row.bold) if row.cut else _fitting(pen, f"{row.left} {row.right}", row, press)
    pen.text((right, top), row.right, INK, font, anchor="ra")
    room = right - left - pen.textlength(row.right + " ", font)
    label = _cut(pen, row.left, font, room)
    if row.leader:
        label += row.leader * int((room - pen.textlength(label, font)) / pen.textlength(row.leader, font))
    pen.text((left, top), label, INK, font, anchor="la")


def _fitting(pen: ImageDraw.ImageDraw, text: str, row: Text | Pair, press: Press) -> ImageFont.FreeTypeFont:
    """The row's font, or the largest smaller one in which the text fits on the paper."""
    scale = row.scale
    while pen.textlength(text, _font(press, scale, row.bold)) > press.width - 2 * press.margin:
        scale -= 0.05
    return _font(press, scale, row.bold)


def _columns(pen: ImageDraw.ImageDraw, row: Columns, top: int, press: Press) -> None:
    left, right = press.margin, press.width - press.margin
    font = _font(press, 1, row.bold)
    limit = float(right)
    for cell in reversed(row.cells):
        spot = left + round(cell.at * (right - left))
        if cell.align == "left":
            text = _cut(pen, cell.text, font, limit - spot)
            pen.text((spot, top), text, INK, font, anchor="la")
            limit = spot
        else:
            pen.text((spot, top), cell.text, INK, font, anchor="ra")
            limit = spot - pen.textlength(cell.text, font) - press.size / 2


def _rule(pen: ImageDraw.ImageDraw, row: Rule, top: int, press: Press) -> None:
    left, right = press.margin, press.width - press.margin
    if row.mark:
        font = _font(press, 1, bold=False)
        pen.text((left, top), row.mark * int((right - left) / pen.textlength(row.mark, font)), INK, font)
    else:
        pen.line((left, top + press.size // 2, right, top + press.size // 2), INK, 2)


def _bars(pen: ImageDraw.ImageDraw, row: Bars, top: int, press: Press) -> None:
    spot = (press.width - sum(row.widths)) // 2
    for place, width in enumerate(row.widths):
        if place % 2 == 0:
            pen.rectangle((spot, top + 8, spot + width - 1, top + 3 * press.size), INK)
        spot += width


def _text(pen: ImageDraw.ImageDraw, row: Text, top: int, press: Press) -> None:
    font = _fitting(pen, row.text, row, press)
    spot, anchor = {
        "left": (press.margin, "la"),
        "center": (press.width / 2, "ma"),
        "right": (press.width - press.margin, "ra"),
    }[row.align]
    if row.inverse:
        left, upper, right, lower = pen.textbbox((spot, top), row.text, font, anchor=anchor)
        pen.rectangle((left - 10, upper - 5, right + 10, lower + 5), INK)
    pen.text((spot, top), row.text, PAPER if row.inverse else INK, font, anchor=anchor)


def _cut(pen: ImageDraw.ImageDraw, text: str, font: ImageFont.FreeTypeFont, room: float) -> str:
    """Drop letters from the end until the text fits, as tills do."""
    while text and pen.textlength(text, font) > room:
        text = text[:-1]
    return text.rstrip()


def _font(press: Press, scale: float, bold: bool) -> ImageFont.FreeTypeFont:
    face = FACES[press.face]
    return _load(face.bold if bold else face.regular, round(press.size * scale))


@lru_cache(maxsize=256)
def _load(name: str, size: int) -> ImageFont.FreeTypeFont:
    try:
        return ImageFont.truetype(name, size)
    except OSError as missing:
        raise FileNotFoundError(f"font {name}: apt-get install {PACKAGES}") from missing
