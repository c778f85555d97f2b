"""A kernel that fails: a worker, a system call and an errno come in; strace lets the kernel answer so until the end."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.roles import RunningRole


@contextmanager
def failing(worker: RunningRole, fault: str, path: Path | None = None) -> Iterator[None]:
    """Let the children of a worker meet a fault in strace's words, e.g. `read:error=EIO`; only at `path`, if given."""
    if shutil.which("strace") is None:
        _cannot("strace is not installed")
    at = ["-P", str(path)] if path else []
    calls, children = fault.partition(":")[0], worker.children()
    attach = [word for pid in children for word in ("-p", str(pid))]
    command = ["strace", *at, "-e", f"trace={calls}", "-e", f"inject={fault}", *attach]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as strace:
        try:
            for _ in children:
                said = strace.stderr.readline()
                if "attached" not in said:
                    _cannot(said)
            yield
        finally:
            strace.send_signal(signal.SIGTERM)  # it lets the children go on
            strace.stderr.read()


def _cannot(reason: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)
