"""What a reader process gives up before it looks at a stranger's bytes: network, files, limits, other processes."""

import ctypes
import os
import resource
import signal
import sys
from pathlib import Path
from typing import Final

import contracts
import ledger_tasks
from ledger_tasks.ocr import landlock, seccomp

_PR_SET_PDEATHSIG: Final = 1
_PR_SET_NO_NEW_PRIVS: Final = 38
_CLONE_NEWUSER: Final = 0x1000_0000
_CLONE_NEWNET: Final = 0x4000_0000

MAX_FILE_BYTES: Final = 64 * 1024 * 1024
"""Largest file a reader may write: a page handed to Tesseract or poppler, with room."""

MAX_TASKS: Final = 64
"""Processes and threads of a reader with its programs: it has three of its own, an engine adds one or two."""

OOM_SCORE: Final = 800
"""When memory ends, the kernel shall take a reader, not the worker that holds the delivery."""

_SYSTEM: Final = ("/usr", "/bin", "/lib", "/lib64", "/etc", "/proc", "/sys", "/dev")
"""Programs, libraries, fonts and devices; receipts, caches and homes lie elsewhere."""


def die_with(parent: int) -> None:
    """End this process when its parent ends. Raises SystemExit when that has already happened."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        raise SystemExit(0)


def confine(folder: Path) -> None:
    """Keep only programs, libraries and one folder for temporary files.

    Where the kernel does not offer one of the means, the others still hold. Processes are counted by the kernel where
    it gives this process a user namespace, so not for root, and everywhere by the one who waits for the answer.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MAX_FILE_BYTES, MAX_FILE_BYTES))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    Path("/proc/self/oom_score_adj").write_text(str(OOM_SCORE), encoding="ascii")
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_CLONE_NEWNET) != 0 and libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET) == 0:
        # Elsewhere the count would include the user's other workers.
        resource.setrlimit(resource.RLIMIT_NPROC, (MAX_TASKS, MAX_TASKS))
    landlock.restrict(_readable(), [folder, Path(os.devnull)])
    seccomp.refuse_calls()


def _readable() -> list[Path]:
    """Return where this program, its libraries and its models are."""
    own = [Path(package.__path__[0]) for package in (contracts, ledger_tasks)]
    python = [Path(sys.prefix), Path(sys.base_prefix)]
    trained = [Path(os.environ["TESSDATA_PREFIX"])] if "TESSDATA_PREFIX" in os.environ else []
    return [*(Path(name) for name in _SYSTEM), *own, *python, *trained]


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)
