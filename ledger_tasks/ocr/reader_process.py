"""A running reader process: one request and its bytes in, one reply out, within a time and a memory limit."""

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
from ledger_tasks.ocr import sandbox
from ledger_tasks.ocr.protocol import MAX_REPLY, Reply, Request

WATCH_SECONDS: Final = 0.2
"""How often the time and the memory of a busy reader are looked at."""

GOODBYE_SECONDS: Final = 2.0
"""How long a reader whose pipe is closed may take to end."""

_PASSED_ON: Final = ("PATH", "TESSDATA_PREFIX", "LD_LIBRARY_PATH")


class ReaderProcess:
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
