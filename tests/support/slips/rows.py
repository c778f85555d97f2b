"""The rows of a printed slip, from which pictures and PDFs are made."""

from dataclasses import dataclass
from typing import Literal

Align = Literal["left", "center", "right"]


@dataclass(frozen=True)
class Text:
    """One line of text; `inverse` prints white on black."""

    text: str
    align: Align = "left"
    scale: float = 1.0
    bold: bool = False
    inverse: bool = False


@dataclass(frozen=True)
class Pair:
    """A label at the left edge and an amount at the right edge; `leader` fills the space between them.

    What is too long is set smaller, or cut at the end of the label where `cut` says so.
    """

    left: str
    right: str
    scale: float = 1.0
    bold: bool = False
    leader: str = ""
    cut: bool = False


@dataclass(frozen=True)
class Cell:
    """Text at a part of the line (0 left edge, 1 right edge), standing to the right or to the left of it."""

    text: str
    at: float
    align: Literal["left", "right"] = "left"


@dataclass(frozen=True)
class Columns:
    """One line of a table."""

    cells: tuple[Cell, ...]
    bold: bool = False


@dataclass(frozen=True)
class Rule:
    """A line made of one character, or drawn where the character is empty."""

    mark: str = "-"


@dataclass(frozen=True)
class Gap:
    """Empty paper, in lines."""

    lines: float = 0.5


@dataclass(frozen=True)
class Bars:
    """A bar code: widths of bars and gaps in turn, in pixels."""

    widths: tuple[int, ...]


Row = Text | Pair | Columns | Rule | Gap | Bars
