"""A volume without room: a small tmpfs that is filled for root, a limit of file size for everybody else."""

import os
import resource
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from tests.support.roles import RunningRole

SIZE = 4 * 1024 * 1024
BLOCK = 4096
LIMIT = 2048
"""Bytes of a file: enough for a budget, too few for a cache."""


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
    """Leave no room on the small volume (ENOSPC), or let the worker's children write no larger file (EFBIG)."""
    if os.geteuid() == 0:
        ballast = folder / "ballast"
        _fill(ballast)
        yield
        ballast.unlink()
        return
    children = [psutil.Process(pid) for pid in worker.children()]
    before = [child.rlimit(resource.RLIMIT_FSIZE) for child in children]
    for child, (_, hard) in zip(children, before, strict=True):
        child.rlimit(resource.RLIMIT_FSIZE, (LIMIT, hard))
    yield
    for child, limits in zip(children, before, strict=True):
        child.rlimit(resource.RLIMIT_FSIZE, limits)


def _fill(ballast: Path) -> None:
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(BLOCK))
        except OSError:
            return
