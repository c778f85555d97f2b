"""A parser that was taken over meets the limits of one document: it is stopped and named, and the next one is read."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from ledger_tasks.errors import Transient
from ledger_tasks.ocr import reader_process, usage
from ledger_tasks.ocr.reading import Reader, ReaderBug
from tests.support import hostile_reader

SAMPLE = (Path(__file__).parents[2] / "data" / "receipts" / "rail-text-layer.pdf").read_bytes()
LIMIT = 60.0
"""Seconds in which a receipt is read, also on a busy machine."""

SHORT = 2.0
"""Seconds for a parser that never ends."""


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reader_process, "PROGRAM", (hostile_reader.__file__,))
    monkeypatch.setattr(reader_process, "MAX_FOLDER_BYTES", 16 << 20)
    with Reader(memory_megabytes=400) as taken_over:
        assert taken_over.read(SAMPLE, timeout=LIMIT).pages == 1
        yield taken_over


@pytest.mark.parametrize(
    ("attack", "code", "detail"),
    [
        (b"spin", "TIMEOUT", "seconds"),
        (b"fork", "ENGINE_FAILED", "programs"),
        (b"write", "ENGINE_FAILED", "File too large"),
        (b"fill", "ENGINE_FAILED", "wrote"),
        (b"grow", "MEMORY_LIMIT", "grew"),
        (b"crash", "ENGINE_FAILED", "SIGSEGV"),
        (b"end", "ENGINE_FAILED", "exit code 0"),
    ],
)
def test_it_is_stopped_with_all_that_it_started_and_the_next_receipt_is_read(reader, attack, code, detail) -> None:
    group = reader.pid
    with pytest.raises(Transient) as stopped:
        reader.read(attack, timeout=SHORT if attack == b"spin" else LIMIT)
    assert (stopped.value.code, detail in stopped.value.detail) == (code, True), stopped.value.detail
    if reader.pid != group:
        assert members(group) == []
    assert reader.read(SAMPLE, timeout=LIMIT).receipt.total.value == "27.40"


def members(group: int) -> list[int]:
    found = []
    for process in psutil.process_iter():
        with suppress(ProcessLookupError, psutil.NoSuchProcess):
            lives = process.is_running() and process.status() != psutil.STATUS_ZOMBIE
            found += [process.pid] if lives and os.getpgid(process.pid) == group else []
    return found


@pytest.mark.parametrize("attack", [b"connect", b"kill the worker"])
def test_it_is_refused_the_network_and_signals_to_others(reader, attack) -> None:
    with pytest.raises(ReaderBug, match="PermissionError"):
        reader.read(attack, timeout=LIMIT)
    assert reader.read(SAMPLE, timeout=LIMIT).pages == 1


BURN = """
import sys, time
for line in sys.stdin:
    until = time.process_time() + float(line)
    while time.process_time() < until: pass
    print("done", flush=True)
"""


def test_the_kernel_ends_a_process_by_the_cpu_of_one_document_not_by_that_of_all_before() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", BURN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as program:
        for seconds in ("0.7", "0.7", "0.7"):
            usage.allow_cpu(program.pid, 1.0)
            print(seconds, file=program.stdin, flush=True)
            assert program.stdout.readline() == "done\n"
        usage.allow_cpu(program.pid, 1.0)
        print("60", file=program.stdin, flush=True)
        assert program.wait(LIMIT) == -signal.SIGXCPU


def test_a_reader_that_used_its_cpu_is_told_from_one_that_crashed(reader, monkeypatch) -> None:
    allow = usage.allow_cpu
    monkeypatch.setattr(usage, "allow_cpu", lambda pid, _: allow(pid, 1.0))
    with pytest.raises(Transient, match="computed for more than") as stopped:
        reader.read(b"spin", timeout=LIMIT)
    assert stopped.value.code == "TIMEOUT"
