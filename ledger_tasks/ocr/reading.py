"""The worker's side of a reader process: bytes of a document and a time limit in, a Reading or a named failure out."""

from typing import Final, Self

from ledger_tasks import clock
from ledger_tasks.errors import Terminal, Transient
from ledger_tasks.extraction.hints import Hints
from ledger_tasks.ocr.protocol import MAX_DOCUMENT, EngineChoice, Reading, Refusal, Reply, Request
from ledger_tasks.ocr.reader_process import ReaderProcess

__all__ = ["Reader", "ReaderBug", "Reading"]

MEMORY_HEADROOM: Final = 1.5
"""A reader that outgrows its threshold this many times within one document is stopped, not waited for."""


class ReaderBug(Exception):
    """The reader raised something that nobody expected; the message is its traceback."""


class Reader:
    """A warm reader process, started at the first document (so after a fork) and replaced when it has grown.

    Not thread-safe; the thread that reads first must outlive the process, because the kernel ends it with that thread.
    """

    def __init__(
        self, engine: EngineChoice = "auto", *, pages_per_reader: int = 200, memory_megabytes: int = 850
    ) -> None:
        self._engine = engine
        self._pages_per_reader = pages_per_reader
        self._memory = memory_megabytes * 1024 * 1024
        self._process: ReaderProcess | None = None
        self._pages = 0

    def read(self, document: bytes, *, timeout: float, hints: Hints | None = None) -> Reading:
        """Read one document within `timeout` seconds.

        Raises Terminal with the code of what is wrong with the document; Transient TIMEOUT, MEMORY_LIMIT,
        ENGINE_FAILED or WORKER_LOST when another attempt may succeed; ReaderBug.
        """
        if len(document) > MAX_DOCUMENT:
            raise Terminal("IMAGE_TOO_LARGE", f"the file has {len(document)} bytes, the limit is {MAX_DOCUMENT}")
        request = Request(engine=self._engine, today=clock.now().date(), hints=hints or Hints())
        if self._process is None or not self._process.is_usable:
            self.close()
            self._process, self._pages = ReaderProcess(), 0
        try:
            reply = self._process.ask(request, document, timeout, self._memory * MEMORY_HEADROOM)
        except Transient:
            self.close()
            raise
        self._pages += reply.reading.pages if reply.reading else 1
        if self._pages >= self._pages_per_reader or reply.rss >= self._memory or reply.bug:
            self.close()
        return _outcome(reply)

    @property
    def pid(self) -> int | None:
        """Return the process id of the reader while one is warm."""
        return self._process.pid if self._process else None

    def close(self) -> None:
        """End the process; the next document starts a fresh one."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()


def _outcome(reply: Reply) -> Reading:
    match reply:
        case Reply(reading=Reading() as reading):
            return reading
        case Reply(refusal=Refusal(kind="terminal") as refusal):
            raise Terminal(refusal.code, refusal.detail)
        case Reply(refusal=Refusal() as refusal):
            raise Transient(refusal.code, refusal.detail)
        case _:
            raise ReaderBug(reply.bug or "an empty reply")
