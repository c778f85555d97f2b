"""What a reader process gives up before it looks at a stranger's bytes: parent, network, files, cores."""

import ctypes
import os
import resource
import signal
from pathlib import Path
from typing import Final

_PR_SET_PDEATHSIG: Final = 1
_PR_SET_NO_NEW_PRIVS: Final = 38
_CLONE_NEWUSER: Final = 0x1000_0000
_CLONE_NEWNET: Final = 0x4000_0000

MAX_FILE_BYTES: Final = 64 * 1024 * 1024
"""Largest file a reader may write: a page handed to Tesseract or poppler, with room."""

MAX_PROCESSES: Final = 4096
"""Processes and threads of this user on the machine, all readers of all pods together: a fork bomb ends here."""

OOM_SCORE: Final = 800
"""When memory ends, the kernel shall take a reader, not the worker that holds the delivery."""


def die_with(parent: int) -> None:
    """End this process when its parent ends. Raises SystemExit when that has already happened."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        raise SystemExit(0)


def confine() -> None:
    """Give up what the kernel lets a process give up; what it does not allow here is silently left."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MAX_FILE_BYTES, MAX_FILE_BYTES))
    resource.setrlimit(resource.RLIMIT_NPROC, (MAX_PROCESSES, MAX_PROCESSES))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWNET) != 0:
        libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET)
    Path("/proc/self/oom_score_adj").write_text(str(OOM_SCORE), encoding="ascii")


def resident(pid: int) -> int:
    """Return the resident bytes of a process and of all that it started, 0 when it is gone."""
    try:
        pages = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * resource.getpagesize() + sum(map(resident, _children(pid)))


def _children(pid: int) -> list[int]:
    try:
        lists = [path.read_text(encoding="ascii") for path in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:
        return []  # it ended meanwhile
    return [int(child) for each in lists for child in each.split()]


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)
