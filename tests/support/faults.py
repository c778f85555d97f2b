"""Faults for real servers: frozen (SIGSTOP) and killed (SIGKILL), always undone when the block ends."""

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

import httpx
import psutil

from ledger_tasks.devstack.stack import Stack
from tests.support.amqp import wait_until

ALARMS = {
    "disk": (("set_disk_free_limit", "100000GB"), ("set_disk_free_limit", "50MB"), "disk_free_alarm"),
    "memory": (
        ("set_vm_memory_high_watermark", "0"),
        ("set_vm_memory_high_watermark", "absolute", "1GB"),
        "mem_alarm",
    ),
}
"""What raises and clears each, and how the management API calls it."""


@contextmanager
def frozen(stack: Stack, name: str) -> Iterator[None]:
    """Stop every process of a service, as a hung machine would; let them run again at the end."""
    processes = of(stack, name)
    signal_all(processes, signal.SIGSTOP)
    try:
        # The signal is sent, not yet obeyed: a quick caller would still be answered.
        wait_until(lambda: not any(map(_runs, processes)), "everything to stop")
        yield
    finally:
        signal_all(processes, signal.SIGCONT)


@contextmanager
def full(stack: Stack, what: Literal["disk", "memory"]) -> Iterator[None]:
    """Raise the broker's alarm of its disk or memory, under which it takes no publication; clear it at the end."""
    raised, cleared, told = ALARMS[what]
    ctl(stack, *raised)
    try:
        wait_until(lambda: _nodes(stack)[0].get(told), f"the alarm of the {what}")
        yield
    finally:
        ctl(stack, *cleared)


def ctl(stack: Stack, *words: str) -> None:
    """Run rabbitmqctl beside the stack's node."""
    node = stack.rabbitmq
    subprocess.run(node.script("rabbitmqctl", *words), env=node.environment(), check=True, capture_output=True)


def kill(stack: Stack, name: str) -> None:
    """End every process of a service as a power cut would; `stack.start(name)` brings it back with its data."""
    processes = of(stack, name)
    signal_all(processes, signal.SIGKILL)
    psutil.wait_procs(processes, timeout=20)


def of(stack: Stack, name: str) -> list[psutil.Process]:
    """All processes of a service: the one that is supervised and everything that it started."""
    first = psutil.Process(stack.supervisor.process(name).pid)
    return [first, *first.children(recursive=True)]


def _nodes(stack: Stack) -> list[dict[str, Any]]:
    """Ask the management API; right after the boot it knows nothing but names."""
    found: list[dict[str, Any]] = httpx.get(f"{stack.rabbitmq.management_url}/api/nodes", timeout=20).json()
    return found


def _runs(process: psutil.Process) -> bool:
    return process.is_running() and process.status() not in {psutil.STATUS_STOPPED, psutil.STATUS_ZOMBIE}


def signal_all(processes: list[psutil.Process], number: signal.Signals) -> None:
    for process in processes:
        if process.is_running():
            process.send_signal(number)
