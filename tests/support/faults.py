"""Faults for real servers: frozen (SIGSTOP) and killed (SIGKILL), always undone when the block ends."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import psutil

from ledger_tasks.devstack.stack import Stack


@contextmanager
def frozen(stack: Stack, name: str) -> Iterator[None]:
    """Stop every process of a service, as a hung machine would; let them run again at the end."""
    processes = of(stack, name)
    signal_all(processes, signal.SIGSTOP)
    try:
        yield
    finally:
        signal_all(processes, signal.SIGCONT)


def kill(stack: Stack, name: str) -> None:
    """End every process of a service as a power cut would; `stack.start(name)` brings it back with its data."""
    processes = of(stack, name)
    signal_all(processes, signal.SIGKILL)
    psutil.wait_procs(processes, timeout=20)


def of(stack: Stack, name: str) -> list[psutil.Process]:
    """All processes of a service: the one that is supervised and everything that it started."""
    first = psutil.Process(stack.supervisor.process(name).pid)
    return [first, *first.children(recursive=True)]


def signal_all(processes: list[psutil.Process], number: signal.Signals) -> None:
    for process in processes:
        if process.is_running():
            process.send_signal(number)
