"""Blocks of work come in; seconds by name, and the CPU that the document took, go out."""

import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager


class Stopwatch:
    """Adds up wall seconds by name, and the CPU seconds of this process and of the programs it ran."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._cpu = _cpu_seconds()

    @contextmanager
    def measure(self, name: str) -> Iterator[None]:
        """Add the time of the block to `name`."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self._seconds[name] = self._seconds.get(name, 0.0) + time.perf_counter() - started

    @contextmanager
    def load(self) -> Iterator[None]:
        """Count the time of the block as `load`, apart from the CPU of the document: a warm reader has none."""
        cpu = _cpu_seconds()
        with self.measure("load"):
            yield
        self._cpu += _cpu_seconds() - cpu

    def timings(self) -> dict[str, float]:
        """Return seconds by name, with `cpu`."""
        return {name: round(value, 4) for name, value in {**self._seconds, "cpu": _cpu_seconds() - self._cpu}.items()}


def _cpu_seconds() -> float:
    own, programs = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + programs.ru_utime + programs.ru_stime
