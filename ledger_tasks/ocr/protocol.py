"""What the task asks a reader process, and what it answers: JSON through two pipes, every size bounded."""

from datetime import date
from typing import Annotated, Final, Literal

from pydantic import Field

from contracts.receipts.receipt import Box, Receipt
from contracts.receipts.results import Pass
from contracts.wire import Wire
from ledger_tasks.extraction.hints import Hints

MAX_DOCUMENT: Final = 256 * 1024 * 1024
"""Bytes of a document; a larger one would not fit beside the engine."""

MAX_REPLY: Final = 32 * 1024 * 1024
"""Bytes of an answer: a hundred dense pages, each read by three passes."""

EngineChoice = Literal["auto", "rapidocr", "tesseract"]


class Request(Wire):
    """Read the bytes that follow. `today` bounds plausible dates."""

    engine: EngineChoice
    today: Annotated[date, Field(strict=False)]
    hints: Hints


class FoundLine(Wire):
    """One line of a pass."""

    text: str
    confidence: Annotated[float, Field(ge=0, le=1)]
    box: Box


class Evidence(Wire):
    """One pass over one page with all that it found; the artifact keeps it, also when the pass lost."""

    summary: Pass
    lines: tuple[FoundLine, ...]


class Reading(Wire):
    """A receipt as it was read. `timings` are seconds: decode, ocr, extract, cpu (of the reader and its programs).

    `page_signature` is that of the first page, None when it has a text layer.
    """

    receipt: Receipt
    evidence: tuple[Evidence, ...]
    pages: int
    engine: str
    engine_version: str
    extractor_version: str
    timings: dict[str, float]
    page_signature: str | None

    @property
    def passes(self) -> tuple[Pass, ...]:
        """Return the passes as their events carry them."""
        return tuple(each.summary for each in self.evidence)


class Refusal(Wire):
    """The document cannot be read (`terminal`), or the attempt failed (`transient`)."""

    kind: Literal["terminal", "transient"]
    code: str
    detail: str


class Reply(Wire):
    """Exactly one of three: a reading, a refusal, or the traceback of a bug. `rss` is resident bytes afterwards."""

    reading: Reading | None = None
    refusal: Refusal | None = None
    bug: str | None = None
    rss: int = 0
