"""One document comes in as bytes; its receipt and every pass that was made over its pages go out."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np

from contracts.receipts.receipt import Extracted, Receipt
from ledger_tasks.extraction.checks import Reason
from ledger_tasks.extraction.lines import Line
from ledger_tasks.extraction.receipt import VERSION, extract
from ledger_tasks.ocr import engines, suspicion
from ledger_tasks.ocr.attempt import TEXT_LAYER, Attempt, Variant, layer, look, look_at
from ledger_tasks.ocr.clean import clean
from ledger_tasks.ocr.documents import Page, open_document
from ledger_tasks.ocr.engine import Engine
from ledger_tasks.ocr.mending import mended
from ledger_tasks.ocr.protocol import Reading, Request
from ledger_tasks.ocr.signature import signature
from ledger_tasks.ocr.stopwatch import Stopwatch
from ledger_tasks.ocr.strips import strips

MAX_PAGES_AGAIN: Final = 3
"""Pages up to which a doubtful document is looked at again; a longer one is a statement, not a slip."""

_ASKED_AGAIN: Final = frozenset({Reason.DATE_UNCONFIRMED, Reason.TOTAL_UNCONFIRMED, Reason.TOTAL_AMBIGUOUS})


def read(document: bytes, request: Request) -> Reading:
    """Read a document. Raises Terminal for unreadable bytes, RuntimeError or MemoryError from an engine."""
    return _Passes(document, request).reading()


class _Passes:
    """The passes over one document: one per page always, more only where the gate fails."""

    def __init__(self, document: bytes, request: Request) -> None:
        self._request = request
        self._clock = Stopwatch()
        with self._clock.measure("decode"):
            self._document = open_document(document)
        self._seen: Page | None = None
        self._made: list[Attempt] = []
        self._chosen: list[Attempt] = []

    def reading(self) -> Reading:
        self._chosen = [self._first(number) for number in range(1, self._document.pages + 1)]
        receipt = self._extract(self._chosen)
        is_doubtful = receipt.extraction_status != "complete" or any(
            suspicion.is_other_script(each.lines) for each in self._chosen
        )
        if is_doubtful and self._document.pages <= MAX_PAGES_AGAIN:
            receipt = self._again(receipt)
        main = max(self._chosen, key=lambda each: len(each.lines))
        first_page = None if self._chosen[0].engine == TEXT_LAYER else signature(self._turned(1).pixels)
        return Reading(
            receipt=receipt,
            evidence=tuple(
                each.evidence(selected=any(each is chosen for chosen in self._chosen)) for each in self._made
            ),
            pages=self._document.pages,
            engine=main.engine,
            engine_version=main.engine_version,
            extractor_version=VERSION,
            timings=self._clock.timings(),
            page_signature=first_page,
        )

    def _first(self, number: int) -> Attempt:
        """Take the text layer of a page when it can be trusted, else look at the page."""
        started = time.perf_counter()
        with self._clock.measure("decode"):
            text = clean(self._document.text(number))
        if text:
            return self._keep(layer(text, number, time.perf_counter() - started))
        return self._look(number, Variant.PRIMARY)

    def _look(self, number: int, variant: Variant) -> Attempt:
        with self._clock.load():
            engine = self._engine(variant)
        page = self._page(number)
        with self._clock.measure("ocr"):
            return self._keep(look(page, engine, variant))

    def _engine(self, variant: Variant) -> Engine:
        return engines.cyrillic() if variant is Variant.CYRILLIC else engines.primary(self._request.engine)

    def _page(self, number: int) -> Page:
        """Decode a page; the last one is kept, since a doubtful page is looked at more than once."""
        if self._seen is None or self._seen.number != number:
            with self._clock.measure("decode"):
                self._seen = self._document.page(number)
        return self._seen

    def _keep(self, attempt: Attempt) -> Attempt:
        self._made.append(attempt)
        return attempt

    def _extract(self, chosen: Sequence[Attempt], second: Sequence[Line] = (), closer: Sequence[Line] = ()) -> Receipt:
        lines = [line for each in chosen for line in self._lines(each)]
        with self._clock.measure("extract"):
            return extract(
                lines,
                chosen[0].engine,
                hints=self._request.hints,
                today=self._request.today,
                second=second,
                closer=closer,
            )

    def _lines(self, attempt: Attempt) -> Sequence[Line]:
        """Return what a pass read; the engine of Cyrillic letters gets the digits of the first pass."""
        if attempt.variant is not Variant.CYRILLIC:
            return attempt.lines
        first = next(each for each in self._made if each.page == attempt.page)
        return mended(attempt.lines, first.lines)

    def _again(self, receipt: Receipt) -> Receipt:
        """Look at suspicious pages in another way and keep what is better, then ask for a second opinion."""
        lost: list[Line] = []
        for place, first in enumerate(self._chosen):
            for variant in self._ways(first):
                other = self._look(first.page, variant)
                chosen = [*self._chosen[:place], other, *self._chosen[place + 1 :]]
                vote = other if variant is Variant.CYRILLIC else first
                again = self._extract(chosen, second=[*lost, *vote.lines])
                if _worth(again, other) > _worth(receipt, self._chosen[place]):
                    receipt, self._chosen = again, chosen
                    lost += vote.lines
        if _ASKED_AGAIN & set(receipt.review_reasons) and self._may_use_tesseract():
            receipt = self._asked(receipt, lost)
        return receipt

    def _asked(self, receipt: Receipt, lost: Sequence[Line]) -> Receipt:
        """Let Tesseract read the rows of the date and the total, and the first engine the date's again, enlarged."""
        day, due = receipt.transaction_date, receipt.total
        second = self._closely((day, due), engines.second_opinion, Variant.SECOND_OPINION)
        closer: tuple[Line, ...] = ()
        if Reason.DATE_UNCONFIRMED in receipt.review_reasons:
            closer = self._closely((day,), lambda: engines.primary(self._request.engine), Variant.CLOSER)
        return self._extract(self._chosen, second=[*lost, *second], closer=closer)

    def _ways(self, first: Attempt) -> Iterator[Variant]:
        """Yield how else a page should be looked at; each way has a reason in the first pass."""
        if first.engine == TEXT_LAYER:
            yield Variant.PRIMARY
        elif suspicion.is_sideways(first.lines):
            yield from (Variant.TURNED_90, Variant.TURNED_270)
        elif suspicion.is_other_script(first.lines) and self._may_use_tesseract():
            yield Variant.CYRILLIC
        elif suspicion.is_poor(first.lines):
            yield Variant.TURNED_180

    def _may_use_tesseract(self) -> bool:
        return self._request.engine == "auto" and engines.has_tesseract()

    def _closely(
        self, fields: Sequence[Extracted[str]], load: Callable[[], Engine], variant: Variant
    ) -> tuple[Line, ...]:
        """Read the rows of some fields again, cut out and enlarged; a tenth of a page's cost."""
        found: list[Line] = []
        for number in sorted({each.page for each in fields if each.page}):
            page = self._turned(number)
            boxes = [each.box for each in fields if each.page == number and each.box]
            with self._clock.load():
                engine = load()
            with self._clock.measure("ocr"):
                found += self._keep(look_at(strips(page.pixels, boxes), page, engine, variant)).lines
        return tuple(found)

    def _turned(self, number: int) -> Page:
        """Return the page as its chosen pass saw it."""
        page = self._page(number)
        variant = self._chosen[number - 1].variant
        return Page(number, np.rot90(page.pixels, variant.quarters), page.dpi)


def _worth(receipt: Receipt, attempt: Attempt) -> tuple[bool, bool, int, float, float]:
    """Return what makes a reading better: the right script, complete, must fields, their confidence, that of all."""
    must = (receipt.merchant, receipt.transaction_date, receipt.total, receipt.currency)
    letters = sum(len(line.text) for line in attempt.lines)
    mean = sum(line.confidence * len(line.text) for line in attempt.lines) / letters if letters else 0.0
    return (
        suspicion.is_cyrillic(attempt.lines),
        receipt.extraction_status == "complete",
        sum(each.value is not None for each in must),
        receipt.transaction_date.confidence + receipt.total.confidence,
        mean,
    )
