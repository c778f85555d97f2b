"""The reader process: documents come in as bytes, readings go out; it holds no path, socket or secret."""

import errno
import os
import sys
import traceback
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

from ledger_tasks.errors import Terminal, Transient
from ledger_tasks.ocr import passes, sandbox
from ledger_tasks.ocr.protocol import MAX_DOCUMENT, MAX_REPLY, Reading, Refusal, Reply, Request
from ledger_tasks.ocr.usage import Usage

MAX_REQUEST: Final = 8 * 1024 * 1024
"""Bytes of a request: the hints of some ten thousand merchants."""

_LIMITS_MET: Final = {errno.EFBIG, errno.EAGAIN, errno.ENOSPC}
"""A file grew too large, no process can be started, the disk is full."""


def main() -> None:
    """Answer requests until the pipe ends. The first argument is the id of the process that started this one."""
    sandbox.die_with(int(sys.argv[1]))
    # Libraries that print shall not print into the answers.
    requests, replies = Connection(os.dup(0), writable=False), Connection(os.dup(1), readable=False)
    os.dup2(2, 1)
    sandbox.confine(Path.cwd())
    while True:
        try:
            request = Request.model_validate_json(requests.recv_bytes(MAX_REQUEST))
            document = requests.recv_bytes(MAX_DOCUMENT)
        except EOFError:
            return
        replies.send_bytes(_bounded(answer(document, request)))


def answer(document: bytes, request: Request) -> Reply:
    """Read one document; whatever happens is an answer."""
    try:
        return Reply(reading=_read(document, request), rss=Usage.of(os.getpid()).resident)
    except Terminal as error:
        return _refusal("terminal", error.code, error.detail)
    except Transient as error:
        return _refusal("transient", error.code, error.detail)
    except Exception:  # noqa: BLE001 (the parent raises it again: a bug crosses the pipe as its traceback)
        return Reply(bug=traceback.format_exc()[-4000:], rss=Usage.of(os.getpid()).resident)


def _read(document: bytes, request: Request) -> Reading:
    """Read, and name what the kernel answers to a parser that takes too much."""
    try:
        return passes.read(document, request)
    except MemoryError:
        raise Transient("MEMORY_LIMIT", "the reader ran out of memory") from None
    except OSError as error:
        if error.errno not in _LIMITS_MET:
            raise
        raise Transient("ENGINE_FAILED", f"the reader met a limit: {error.strerror}") from None


def _refusal(kind: str, code: str, detail: str) -> Reply:
    return Reply(
        refusal=Refusal.model_validate({"kind": kind, "code": code, "detail": detail}),
        rss=Usage.of(os.getpid()).resident,
    )


def _bounded(reply: Reply) -> bytes:
    body = reply.model_dump_json().encode()
    if len(body) <= MAX_REPLY:
        return body
    pages = reply.reading.pages if isinstance(reply.reading, Reading) else 0
    detail = f"{len(body)} bytes of text on {pages} pages, the limit is {MAX_REPLY}"
    return _refusal("terminal", "RESULT_TOO_LARGE", detail).model_dump_json().encode()


if __name__ == "__main__":
    main()
