"""A file system that fails: a place in the row of its calls and an errno come in, and that call answers with it."""

import io
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

FOR_EVER = 10**9
READING = ("open", "fstat", "stat", "listdir", "scandir", "pread")
WRITING = ("fsync", "replace", "link", "mkdir", "pwrite", "unlink")
"""The functions of `os` that our code reaches volumes with, itself or through pathlib."""


class Calls:
    """The row of calls so far; those from `first` on, `many` of them, fail."""

    def __init__(self, first: int = FOR_EVER, many: int = 1, number: int = 0) -> None:
        self.count = 0
        self._failing = range(first, first + many)
        self._number = number

    def fail_from_now_on(self, number: int) -> None:
        """Let every later call fail with this errno."""
        self._failing, self._number = range(self.count, FOR_EVER), number

    def one(self) -> None:
        """Count a call, or fail it."""
        self.count += 1
        if self.count - 1 in self._failing:
            raise OSError(self._number, os.strerror(self._number))

    def counted(self, call: Callable) -> Callable:
        def counting(*args, **named):
            self.one()
            return call(*args, **named)

        return counting


@contextmanager
def failing(calls: Calls) -> Iterator[None]:
    """Let every call to a file system go through `calls`."""

    class File(io.FileIO):
        readinto = calls.counted(io.FileIO.readinto)
        readall = calls.counted(io.FileIO.readall)
        write = calls.counted(io.FileIO.write)
        seek = calls.counted(io.FileIO.seek)

    def open_(file, mode="r", buffering=-1, *_encoding, closefd=True):
        calls.one()
        raw = File(file, mode, closefd)
        return raw if buffering == 0 else io.BufferedReader(raw) if "r" in mode else io.BufferedWriter(raw)

    with ExitStack() as patches:
        for name in READING + WRITING:
            patches.enter_context(patch.object(os, name, calls.counted(getattr(os, name))))
        patches.enter_context(patch.object(io, "open", open_))
        yield
