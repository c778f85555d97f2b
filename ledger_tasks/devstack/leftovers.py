"""Processes of a stack that outlived their supervisor: found by the mark in their environment, ended at once."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from ledger_tasks.devstack.home import Home

MARK: Final = "LEDGER_DEV_STACK"
"""In the environment of every process of a stack; its value is the stack's folder."""

GONE_SECONDS: Final = 10


def end_leftovers(home: Home) -> None:
    """Kill every process of the stack and return when none is left; what they kept on disk survives that."""
    deadline = time.monotonic() + GONE_SECONDS
    while found := list(processes(home)):
        if time.monotonic() > deadline:
            raise OSError(f"processes {found} of {home.folder} cannot be ended")
        for pid in found:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)
    (home.folder / "postgresql" / "postmaster.pid").unlink(missing_ok=True)


def processes(home: Home) -> Iterator[int]:
    """Yield the ids of all living processes of the stack, whoever is their parent now."""
    mark = os.fsencode(f"{MARK}={home.folder}")
    data = home.folder / "postgresql"
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid() and (_marked(entry, mark) or _backend(entry, data)):
            yield int(entry.name)


def _marked(process: Path, mark: bytes) -> bool:
    try:
        return mark in (process / "environ").read_bytes().split(b"\0")
    except OSError:  # it is gone, or somebody else's
        return False


def _backend(process: Path, data: Path) -> bool:
    """PostgreSQL's children write their title over their environment; they work in the data folder."""
    try:
        return (process / "cwd").readlink() == data and (process / "exe").readlink().name == "postgres"
    except OSError:
        return False
