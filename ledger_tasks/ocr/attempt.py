"""A page, a way to look at it and an engine come in; one pass with its lines and its record goes out."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

import numpy as np

from contracts.receipts.results import Pass
from ledger_tasks.extraction.lines import Line
from ledger_tasks.ocr.clean import clean
from ledger_tasks.ocr.documents import Page
from ledger_tasks.ocr.engine import Engine, Pixels
from ledger_tasks.ocr.margins import ink_box
from ledger_tasks.ocr.protocol import Evidence, FoundLine

TEXT_LAYER: Final = "text-layer"


class Variant(StrEnum):
    """How a page was looked at."""

    LAYER = "layer"
    PRIMARY = "primary"
    TURNED_90 = "turned-90"
    TURNED_180 = "turned-180"
    TURNED_270 = "turned-270"
    CYRILLIC = "cyrillic"
    SECOND_OPINION = "second-opinion"
    CLOSER = "closer"

    @property
    def quarters(self) -> int:
        """Return the quarter turns against the clock that bring the page upright."""
        return {Variant.TURNED_90: 1, Variant.TURNED_180: 2, Variant.TURNED_270: 3}.get(self, 0)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One pass over one page."""

    lines: tuple[Line, ...]
    engine: str
    engine_version: str
    page: int
    dpi: int | None
    psm: int | None
    variant: Variant
    seconds: float

    def evidence(self, *, selected: bool) -> Evidence:
        """Return it as it is recorded."""
        found = self.lines
        return Evidence(
            summary=Pass(
                engine=self.engine,
                engine_version=self.engine_version,
                page_number=self.page,
                dpi=self.dpi,
                psm=self.psm,
                variant=self.variant.value,
                seconds=round(self.seconds, 4),
                status="ok",
                error_type=None,
                line_count=len(found),
                character_count=sum(len(line.text) for line in found),
                confidence=round(sum(line.confidence for line in found) / len(found), 4) if found else None,
                selected=selected,
            ),
            lines=tuple(FoundLine(text=line.text, confidence=line.confidence, box=line.box) for line in found),
        )


def layer(lines: Sequence[Line], number: int, seconds: float) -> Attempt:
    """Return the text layer of a page as a pass."""
    return Attempt(tuple(lines), TEXT_LAYER, "1", number, None, None, Variant.LAYER, seconds)


def look(page: Page, engine: Engine, variant: Variant) -> Attempt:
    """Read the inked part of a page, turned if the variant says so; boxes are those of the page so turned."""
    pixels = np.rot90(page.pixels, variant.quarters)
    left, top, right, bottom = ink_box(pixels)
    cut = np.ascontiguousarray(pixels[top:bottom, left:right])
    return _timed(
        lambda: [
            replace(line, box=(line.box[0] + left, line.box[1] + top, line.box[2] + left, line.box[3] + top))
            for line in engine.read(cut, page.number)
        ],
        page,
        engine,
        variant,
    )


def look_at(strips: Pixels, page: Page, engine: Engine, variant: Variant) -> Attempt:
    """Read strips that were cut from a page; boxes are those of the strips."""
    return _timed(lambda: engine.read(strips, page.number), page, engine, variant)


def _timed(read: Callable[[], list[Line]], page: Page, engine: Engine, variant: Variant) -> Attempt:
    started = time.perf_counter()
    found = clean(read())
    seconds = time.perf_counter() - started
    return Attempt(tuple(found), engine.name, engine.version, page.number, page.dpi, engine.psm, variant, seconds)
