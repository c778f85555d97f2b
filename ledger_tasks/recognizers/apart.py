"""A reader in a process of its own, since a damaged file can end it: bytes come in, what it found comes out."""

import resource
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Final

from ledger_tasks.recognizers.outcome import Found, Unreadable

MEMORY_BYTES: Final = 4 * 1024**3
"""Address space of a reader: one changed byte made the spreadsheet library ask for 166 GB."""

READ_SECONDS: Final = 120

_context: Final = get_context("forkserver")


def read_apart(read: Callable[[bytes], Found], content: bytes, seconds: float = READ_SECONDS) -> Found:
    """Read one file. Raises Unreadable, also when the reader crashed, or took too long."""
    ours, theirs = _context.Pipe(duplex=False)
    process = _context.Process(target=_child, args=(theirs, read, content), daemon=True)
    process.start()
    theirs.close()
    try:
        if not ours.poll(seconds):
            raise Unreadable("READ_FAILED", f"not read within {seconds:g} s")
        outcome: Found | Unreadable = ours.recv()
    except EOFError:
        raise Unreadable("READ_FAILED", "the file crashed its reader") from None
    finally:
        process.kill()
        process.join()
        ours.close()
    if isinstance(outcome, Unreadable):
        raise outcome
    return outcome


def prepare(module: str) -> None:
    """Import the reader's module once, before the first file: each process then starts in milliseconds."""
    _context.set_forkserver_preload([module])


def _child(answer: Connection, read: Callable[[bytes], Found], content: bytes) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        answer.send(read(content))
    except Unreadable as why:
        answer.send(why)
