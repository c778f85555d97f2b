"""The worker's side of a reader process: bytes of a document and a time limit in, a Reading or a named failure out."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from multiprocessing.connection import Connection
from typing import Final, Self

from ledger_tasks import clock
from ledger_tasks.errors import Terminal, Transient
from ledger_tasks.extraction.hints import Hints
from ledger_tasks.ocr import sandbox
from ledger_tasks.ocr.protocol import MAX_DOCUMENT, MAX_REPLY, EngineChoice, Reading, Refusal, Reply, Request

__all__ = ["Reader", "ReaderBug", "Reading"]

WATCH_SECONDS: Final = 0.2
"""How often the time and the memory of a busy reader are looked at."""

MEMORY_HEADROOM: Final = 1.5
"""A reader that outgrows its threshold this many times within one document is stopped, not waited for."""

GOODBYE_SECONDS: Final = 2.0
"""How long a reader whose pipe is closed may take to end."""

_PASSED_ON: Final = ("PATH", "TESSDATA_PREFIX", "LD_LIBRARY_PATH")


class ReaderBug(Exception):
    """The reader raised something that nobody expected; the message is its traceback."""


class Reader:
    """A warm reader process, started at the first document (so after a fork) and replaced when it has grown.

    Not thread-safe; the thread that reads first must outlive the process, because the kernel ends it with that thread.
    """

    def __init__(
        self, engine: EngineChoice = "auto", *, pages_per_reader: int = 200, memory_megabytes: int = 1024
    ) -> None:
        self._engine = engine
        self._pages_per_reader = pages_per_reader
        self._memory = memory_megabytes * 1024 * 1024
        self._process: _Process | None = None
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
            self._process, self._pages = _Process(), 0
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


class _Process:
    """One running reader with its two pipes and a folder of its own for temporary files."""

    def __init__(self) -> None:
        self._was_stopped = False
        self._folder = tempfile.mkdtemp(prefix="ledger-reader-")
        self._program = subprocess.Popen(
            [sys.executable, "-I", "-m", "ledger_tasks.ocr.reader", str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd=self._folder,
            env=_environment(self._folder),
            start_new_session=True,
        )
        assert self._program.stdin
        assert self._program.stdout
        self._requests = Connection(os.dup(self._program.stdin.fileno()), readable=False)
        self._replies = Connection(os.dup(self._program.stdout.fileno()), writable=False)
        self._program.stdin.close()
        self._program.stdout.close()

    @property
    def pid(self) -> int:
        """Return the process id."""
        return self._program.pid

    @property
    def is_usable(self) -> bool:
        """Say whether it waits for a document: it may have been killed while idle, or just after its last answer."""
        return not self._was_stopped and self._program.poll() is None

    def ask(self, request: Request, document: bytes, timeout: float, memory: float) -> Reply:
        """Send and wait. Raises Transient when the process was stopped or ended by itself."""
        with _Watch(self._program, timeout, memory) as watch:
            try:
                self._requests.send_bytes(request.model_dump_json().encode())
                self._requests.send_bytes(document)
                body = self._replies.recv_bytes(MAX_REPLY)
            except (EOFError, OSError):
                body = b""
        self._was_stopped = watch.stopped_for is not None
        if body:
            return Reply.model_validate_json(body)
        if watch.stopped_for:
            raise Transient(*watch.stopped_for)
        raise self._death()

    def _death(self) -> Transient:
        """Say how the process ended: what kills from outside is the machine's doing, what crashes is the engine's."""
        try:
            status = self._program.wait(GOODBYE_SECONDS)
        except subprocess.TimeoutExpired:
            return Transient("ENGINE_FAILED", "the reader closed its pipe and did not end")
        if status == -signal.SIGKILL:
            return Transient("WORKER_LOST", "the reader was killed, by the kernel for memory or by hand")
        how = signal.Signals(-status).name if status < 0 else f"exit code {status}"
        return Transient("ENGINE_FAILED", f"the reader ended with {how}")

    def end(self) -> None:
        """Kill the process with all that it started, and remove its folder."""
        _kill(self._program)
        self._program.wait()
        self._requests.close()
        self._replies.close()
        shutil.rmtree(self._folder, ignore_errors=True)


class _Watch:
    """Kills a program that takes too long or too much; a blocked pipe then ends by itself."""

    def __init__(self, program: subprocess.Popen[bytes], timeout: float, memory: float) -> None:
        self._program = program
        self._timeout = timeout
        self._memory = memory
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.stopped_for: tuple[str, str] | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        deadline = time.monotonic() + self._timeout
        while not self._done.wait(min(WATCH_SECONDS, max(0.0, deadline - time.monotonic()))):
            if time.monotonic() >= deadline:
                self.stopped_for = ("TIMEOUT", f"not read within {self._timeout:g} seconds")
            elif (resident := sandbox.resident(self._program.pid)) > self._memory:
                self.stopped_for = ("MEMORY_LIMIT", f"the reader grew to {resident >> 20} MB")
            if self.stopped_for:
                _kill(self._program)
                return


def _environment(folder: str) -> dict[str, str]:
    """Return all that a reader is told: where programs are, its own folder, one thread. No secret, no address."""
    passed = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    threads = dict.fromkeys(("OMP_THREAD_LIMIT", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    return passed | threads | {"LANG": "C.UTF-8", "TMPDIR": folder, "HOME": folder}


def _kill(program: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(program.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
