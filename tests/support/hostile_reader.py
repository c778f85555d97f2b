"""A reader whose parser was taken over: the document says what it tries, and a document that says nothing is read."""

import contextlib
import os
import signal
import socket
import time
from pathlib import Path

from ledger_tasks.ocr import passes, reader

read = passes.read
FORKS = 100
"""Bounded, so that a failing test harms no machine."""


def taken_over(document, request):
    attack = ATTACKS.get(document)
    if attack:
        attack()
    return read(document, request)


def spin():
    while True:
        pass


def fork():
    for _ in range(FORKS):
        if os.fork() == 0:
            with contextlib.suppress(PermissionError):
                os.setsid()
            time.sleep(600)
    time.sleep(600)


def write():
    Path("large").write_bytes(bytes(65 << 20))


def fill():
    for number in range(100):
        Path(f"part-{number}").write_bytes(bytes(4 << 20))
        time.sleep(0.05)
    time.sleep(600)


def grow():
    held = [bytearray(32 << 20) for _ in range(30)]
    time.sleep(600 + len(held))


ATTACKS = {
    b"spin": spin,
    b"fork": fork,
    b"write": write,
    b"fill": fill,
    b"grow": grow,
    b"connect": lambda: socket.create_connection(("127.0.0.1", 9)),
    b"kill the worker": lambda: os.kill(os.getppid(), signal.SIGKILL),
    b"crash": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    b"end": lambda: os._exit(0),
}

if __name__ == "__main__":
    passes.read = taken_over
    reader.main()
