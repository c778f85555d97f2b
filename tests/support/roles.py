"""A real role of ours as a process of its own: environment in, a consuming worker out, its log shown on failure."""

import os
import signal
import subprocess
import sysconfig
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from ledger_tasks import health
from ledger_tasks.roles import ROLES

READY_SECONDS = 60
STOP_SECONDS = 20


class RunningRole:
    """`words` as after `ledger`, e.g. "ocr" (short for "worker", "ocr"), "beat" or "serve", "--port", "8080"."""

    def __init__(self, words: tuple[str, ...], environment: Mapping[str, str], folder: Path) -> None:
        self.words = ("worker", *words) if words[0] in ROLES else words
        self.name = words[0]
        folder.mkdir()
        self.log = folder / "log"
        self.health_file = folder / "health"
        base = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [Path(sysconfig.get_path("scripts")) / "ledger", *self.words],
                env={**base, "LEDGER_HEALTH_FILE": str(self.health_file), **environment},
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        return self.process.pid

    def text(self) -> str:
        return self.log.read_text(errors="replace")

    def health(self) -> str:
        """Return the state in the health file: `ok`, or what is wrong."""
        return health.read(self.health_file, at=time.time()).state

    def holding(self) -> str:
        """Return the code of what deliveries wait for, as the health file says it."""
        return health.read(self.health_file, at=time.time()).holding

    def wait_until_consuming(self) -> None:
        """Return when the health file of this process proves consumption."""
        deadline = time.monotonic() + READY_SECONDS
        while self.health() != "ok":
            assert self.process.poll() is None, f"{self.name} ended with {self.process.returncode}:\n{self.text()}"
            assert time.monotonic() < deadline, f"{self.name} does not consume:\n{self.text()}"
            time.sleep(0.02)

    def children(self) -> list[int]:
        """The processes that it started itself, e.g. the prefork children of a worker."""
        found = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text()
        return [int(pid) for pid in found.split()]

    def stop(self) -> int:
        """Ask it to end (SIGTERM), wait, and return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(STOP_SECONDS)

    def kill(self) -> None:
        """End it and all its children without a chance to clean up."""
        os.killpg(self.pid, signal.SIGKILL)
        self.process.wait()

    def end(self) -> None:
        """Leave nothing running, however the test went."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
