"""A process id comes in; what it and all that it started use, goes out, and how much more CPU it may use."""

import math
import os
import resource
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

_TICKS: Final = os.sysconf("SC_CLK_TCK")
_USER_TICKS, _SYSTEM_TICKS = 11, 12
"""Places in /proc/PID/stat after the name, which may hold blanks."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Resident bytes and number of processes; zero of both when it is gone."""

    resident: int = 0
    processes: int = 0

    @classmethod
    def of(cls, pid: int) -> Self:
        """Look at a process and at all that it started."""
        try:
            pages = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]
        except (OSError, IndexError):
            return cls()
        started = [cls.of(child) for child in _children(pid)]
        return cls(
            int(pages) * resource.getpagesize() + sum(each.resident for each in started),
            1 + sum(each.processes for each in started),
        )


def allow_cpu(pid: int, seconds: float) -> None:
    """Let a process use so many more seconds of CPU; then the kernel ends it (SIGXCPU). Raises OSError if it is gone.

    Programs that it starts have the same limit each, counted from their own start.
    """
    ticks = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    used = (int(ticks[_USER_TICKS]) + int(ticks[_SYSTEM_TICKS])) / _TICKS
    highest = resource.prlimit(pid, resource.RLIMIT_CPU)[1]
    limit = math.ceil(used + seconds)
    resource.prlimit(pid, resource.RLIMIT_CPU, (limit if highest < 0 else min(limit, highest), highest))


def folder_bytes(folder: str) -> int:
    """Return the bytes of all files in a folder; what vanishes meanwhile counts nothing."""
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += Path(path, name).lstat().st_blocks * 512
    return total


def _children(pid: int) -> list[int]:
    try:
        lists = [path.read_text(encoding="ascii") for path in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:
        return []  # it ended meanwhile
    return [int(child) for each in lists for child in each.split()]
