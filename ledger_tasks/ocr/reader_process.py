"""A running reader process: one request and its bytes in, one reply out, within the limits of one document."""

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

from ledger_tasks.errors import Transient
from ledger_tasks.ocr import usage
from ledger_tasks.ocr.protocol import MAX_REPLY, Reply, Request

WATCH_SECONDS: Final = 0.2
"""How often a busy reader is looked at."""

MAX_PROCESSES: Final = 16
"""A reader, the program that it waits for, and room; a parser that goes on forking is stopped."""

MAX_FOLDER_BYTES: Final = 512 * 1024 * 1024
"""What a reader may have in its folder at one time: a page for Tesseract is below 64 MB."""

PROGRAM: Final = ("-m", "ledger_tasks.ocr.reader")

GOODBYE_SECONDS: Final = 2.0
"""How long a reader whose pipe is closed may take to end."""

_PASSED_ON: Final = ("PATH", "TESSDATA_PREFIX", "LD_LIBRARY_PATH")


class ReaderProcess:
    """One running reader with its two pipes and a folder of its own for temporary files."""

    def __init__(self) -> None:
        self._was_stopped = False
        self._folder = tempfile.mkdtemp(prefix="ledger-reader-")
        self._program = subprocess.Popen(
            [sys.executable, "-I", *PROGRAM, str(os.getpid())],
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
        with _Watch(self._program, self._folder, timeout, memory) as watch:
            try:
                usage.allow_cpu(self.pid, timeout)
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
        raise self._death(timeout)

    def _death(self, timeout: float) -> Transient:
        """Say how the process ended: what kills from outside is the machine's doing, what crashes is the engine's."""
        try:
            status = self._program.wait(GOODBYE_SECONDS)
        except subprocess.TimeoutExpired:
            return Transient("ENGINE_FAILED", "the reader closed its pipe and did not end")
        if status == -signal.SIGKILL:
            return Transient("WORKER_LOST", "the reader was killed, by the kernel for memory or by hand")
        if status == -signal.SIGXCPU:
            return Transient("TIMEOUT", f"the reader computed for more than {timeout:g} seconds")
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

    def __init__(self, program: subprocess.Popen[bytes], folder: str, timeout: float, memory: float) -> None:
        self._program = program
        self._folder = folder
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
            else:
                self.stopped_for = self._excess()
            if self.stopped_for:
                _kill(self._program)
                return

    def _excess(self) -> tuple[str, str] | None:
        used = usage.Usage.of(self._program.pid)
        if used.processes > MAX_PROCESSES:
            return "ENGINE_FAILED", f"the reader started {used.processes - 1} programs"
        if used.resident > self._memory:
            return "MEMORY_LIMIT", f"the reader grew to {used.resident >> 20} MB"
        if (written := usage.folder_bytes(self._folder)) > MAX_FOLDER_BYTES:
            return "ENGINE_FAILED", f"the reader wrote {written >> 20} MB"
        return None


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
