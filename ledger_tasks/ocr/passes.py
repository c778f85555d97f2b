"""One document comes in as bytes; its receipt and every pass that was made over its pages go out."""

import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from contracts.receipts.results import Pass
from ledger_tasks.extraction.lines import Line
from ledger_tasks.extraction.receipt import VERSION, extract
from ledger_tasks.ocr import engines
from ledger_tasks.ocr.clean import clean
from ledger_tasks.ocr.documents import Document, open_document
from ledger_tasks.ocr.engine import Engine, Pixels
from ledger_tasks.ocr.margins import ink_box
from ledger_tasks.ocr.protocol import Evidence, FoundLine, Reading, Request

TEXT_LAYER: Final = "text-layer"


def read(document: bytes, request: Request) -> Reading:
    """Read a document. Raises Terminal for unreadable bytes, RuntimeError or MemoryError from an engine."""
    clock = Stopwatch()
    with clock.measure("decode"):
        opened = open_document(document)
    evidence = [_first_pass(opened, number, request, clock) for number in range(1, opened.pages + 1)]
    lines = [
        Line(line.text, line.confidence, line.box, each.summary.page_number) for each in evidence for line in each.lines
    ]
    with clock.measure("extract"):
        receipt = extract(lines, evidence[0].summary.engine, hints=request.hints, today=request.today)
    return Reading(
        receipt=receipt,
        evidence=tuple(evidence),
        pages=opened.pages,
        engine=evidence[0].summary.engine,
        engine_version=evidence[0].summary.engine_version,
        extractor_version=VERSION,
        timings=clock.timings(),
    )


def _first_pass(opened: Document, number: int, request: Request, clock: "Stopwatch") -> Evidence:
    """Take the text layer of a page when it can be trusted, else look at the page."""
    started = time.perf_counter()
    with clock.measure("decode"):
        layer = clean(opened.text(number))
    if layer:
        return _evidence(layer, TEXT_LAYER, "1", number, None, None, "layer", time.perf_counter() - started)
    with clock.measure("decode"):
        page = opened.page(number)
    with clock.load():
        engine = engines.primary(request.engine)
    started = time.perf_counter()
    with clock.measure("ocr"):
        found = clean(_look(engine, page.pixels, number))
    seconds = time.perf_counter() - started
    return _evidence(found, engine.name, engine.version, number, page.dpi, engine.psm, "primary", seconds)


def _look(engine: Engine, pixels: Pixels, number: int) -> list[Line]:
    """Read the inked part of a page; boxes are those of the page."""
    left, top, right, bottom = ink_box(pixels)
    return [
        replace(line, box=(line.box[0] + left, line.box[1] + top, line.box[2] + left, line.box[3] + top))
        for line in engine.read(pixels[top:bottom, left:right], number)
    ]


def _evidence(
    lines: list[Line],
    engine: str,
    version: str,
    number: int,
    dpi: int | None,
    psm: int | None,
    variant: str,
    seconds: float,
) -> Evidence:
    return Evidence(
        summary=Pass(
            engine=engine,
            engine_version=version,
            page_number=number,
            dpi=dpi,
            psm=psm,
            variant=variant,
            seconds=round(seconds, 4),
            status="ok",
            error_type=None,
            line_count=len(lines),
            character_count=sum(len(line.text) for line in lines),
            confidence=round(sum(line.confidence for line in lines) / len(lines), 4) if lines else None,
            selected=True,
        ),
        lines=tuple(FoundLine(text=line.text, confidence=line.confidence, box=line.box) for line in lines),
    )


class Stopwatch:
    """Adds up wall seconds by name, and the CPU seconds of this process and of the programs it ran."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._cpu = _cpu_seconds()

    @contextmanager
    def measure(self, name: str) -> Iterator[None]:
        """Add the time of the block to `name`."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self._seconds[name] = self._seconds.get(name, 0.0) + time.perf_counter() - started

    @contextmanager
    def load(self) -> Iterator[None]:
        """Count the time of the block as `load`, apart from the CPU of the document: a warm reader has none."""
        cpu = _cpu_seconds()
        with self.measure("load"):
            yield
        self._cpu += _cpu_seconds() - cpu

    def timings(self) -> dict[str, float]:
        """Return seconds by name, with `cpu`."""
        return {name: round(value, 4) for name, value in {**self._seconds, "cpu": _cpu_seconds() - self._cpu}.items()}


def _cpu_seconds() -> float:
    own, programs = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + programs.ru_utime + programs.ru_stime
