"""A stack's folder: where data, logs, scripts and sockets of one stack are; two folders are two stacks."""

import hashlib
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import ledger_tasks
from ledger_tasks.errors import ConflictError

_OURS: Final = (
    *("run", "log", "health", "rabbitmq", "postgresql", "nats", "s3", "receipts", "ocr-cache", "objects", "spool"),
    *("stack.json", "supervisord.conf", "supervisord.pid", "stack.lock"),
)
"""All that a stack makes in its folder; --purge removes these and nothing else."""


def default_folder() -> Path:
    """Return this checkout's folder: never inside the clone, which may lie where PostgreSQL's user may not go."""
    project = Path(ledger_tasks.__file__).resolve().parent.parent
    if os.geteuid() == 0:
        return Path("/var/lib/ledger-dev") / _short(project)
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "ledger-dev" / _short(project)


def is_stack(folder: Path) -> bool:
    """Say whether a stack was ever brought up in the folder."""
    return (folder / "stack.json").exists()


@dataclass(frozen=True, slots=True)
class Home:
    """`folder` is absolute, without links."""

    folder: Path

    @property
    def sockets(self) -> Path:
        """A short path, because a socket's path may have 107 bytes only."""
        return Path(f"/tmp/ledger-dev-{os.geteuid()}") / _short(self.folder)  # noqa: S108 (its owner is checked)

    def log(self, program: str) -> Path:
        """Where a program's output goes."""
        return self.folder / "log" / f"{program}.log"

    def script(self, program: str) -> Path:
        """What the supervisor runs for a program."""
        return self.folder / "run" / program

    def health(self, role: str) -> Path:
        """Where a role proves that it consumes."""
        return self.folder / "health" / role

    def make(self) -> None:
        """Create the folders. Raises ConflictError when somebody else owns the sockets' folder."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in ("run", "log", "health"):
            (self.folder / name).mkdir(mode=0o700, exist_ok=True)
        self.sockets.parent.mkdir(mode=0o700, exist_ok=True)
        if self.sockets.parent.is_symlink() or self.sockets.parent.stat().st_uid != os.geteuid():
            raise ConflictError(
                f"{self.sockets.parent} belongs to somebody else", remedy="Remove it, then run it again."
            )
        self.sockets.mkdir(mode=0o700, exist_ok=True)

    def claim(self, ports: Iterable[int]) -> None:
        """Tell the other stacks of this user which ports are ours, also while nothing listens on them."""
        (self.sockets / "ports").write_text(" ".join(str(port) for port in ports))

    def claimed_by_others(self) -> set[int]:
        """Return the ports that other stacks have claimed."""
        others = (file for file in self.sockets.parent.glob("*/ports") if file.parent != self.sockets)
        return {int(port) for file in others for port in file.read_text().split()}

    def purge(self) -> None:
        """Remove all data of the stack, and the folder unless it holds something that is not ours."""
        for name in _OURS:
            path = self.folder / name
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        if self.folder.is_dir() and not any(self.folder.iterdir()):
            self.folder.rmdir()


def _short(path: Path) -> str:
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:12]
