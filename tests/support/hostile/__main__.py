"""`make hostile`: hostile files go through the real reader and messages through the contract; verdicts go out."""

import sys
import time
from collections import Counter
from pathlib import Path

from contracts.receipts.work import decode_work
from contracts.wire import ContractError
from ledger_tasks.errors import ReceiptError
from ledger_tasks.ocr.reading import Reader, ReaderBug
from tests.support import hostile

SECONDS, COSTLY_SECONDS = 60.0, 4.0
"""Limits for one file: the short one where TIMEOUT is a right verdict."""

OUTSIDE = Path("/tmp/escaped")
"""What several files try to write."""


def main() -> int:
    """Print what became of each kind; exit code 1 when a verdict is wrong or something got out."""
    files, messages = list(hostile.files()), list(hostile.messages())
    began = time.monotonic()
    with Reader() as reader:
        found = [(file.name, verdict(reader, file), file.verdicts) for file in files]
    told = [(message.name, refusal(message), message.codes) for message in messages]
    wrong = [
        f"{name}: {got}, not {' or '.join(sorted(right))}" for name, got, right in found + told if got not in right
    ]
    for what, results in (("files", found), ("messages", told)):
        counts = Counter(got for _, got, _ in results)
        print(f"{len(results)} {what}: " + ", ".join(f"{code} {count}" for code, count in counts.most_common()))
    print(*wrong, sep="\n", end="\n" if wrong else "")
    crashes = sum(got.startswith("bug") for _, got, _ in found + told)
    seconds = time.monotonic() - began
    print(f"{OUTSIDE.exists():d} escapes, {crashes} crashes, {len(wrong)} wrong verdicts in {seconds:.0f} s")
    return 1 if wrong or OUTSIDE.exists() else 0


def verdict(reader: Reader, file: hostile.HostileFile) -> str:
    """Read one file; a failure code, READ, or the end of a traceback."""
    try:
        reader.read(file.content, timeout=COSTLY_SECONDS if "TIMEOUT" in file.verdicts else SECONDS)
    except ReceiptError as error:
        return error.code
    except ReaderBug as bug:
        return f"bug: {str(bug)[-300:]}"
    return hostile.READ


def refusal(message: hostile.HostileMessage) -> str:
    """Decode one message; the code of its refusal."""
    try:
        decode_work(message.body)
    except ContractError as error:
        return error.code
    return hostile.READ


if __name__ == "__main__":
    sys.exit(main())
