"""A volume without room: a small tmpfs that is filled for root, a kernel that says so for everybody else."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.failing_kernel import failing
from tests.support.roles import RunningRole

SIZE = 4 * 1024 * 1024
BLOCK = 4096


@contextmanager
def small_volume(folder: Path) -> Iterator[None]:
    """Put a small file system with the same files in place of a folder; nothing where this user cannot mount."""
    if os.geteuid() != 0:
        yield
        return
    kept = folder.with_name(f"{folder.name}.kept")
    shutil.copytree(folder, kept)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", folder], check=True)
    try:
        shutil.copytree(kept, folder, dirs_exist_ok=True)
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


@contextmanager
def without_room(folder: Path, worker: RunningRole) -> Iterator[None]:
    """Leave no room on the small volume, or let the kernel say so to what the worker has written."""
    if os.geteuid() != 0:
        with failing(worker, "fsync:error=ENOSPC"):
            yield
        return
    ballast = folder / "ballast"
    _fill(ballast)
    yield
    ballast.unlink()


def _fill(ballast: Path) -> None:
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(BLOCK))
        except OSError:
            return
