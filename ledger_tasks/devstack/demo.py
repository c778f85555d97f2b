"""`make demo`: a folder of sample receipts in, what became of each out, on a private stack that is gone afterwards."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Mapping
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

from ledger_tasks.cli.output import report, say, table
from ledger_tasks.devstack.environment import for_every_program
from ledger_tasks.devstack.home import default_folder
from ledger_tasks.devstack.stack import Stack
from ledger_tasks.devstack.up import up
from ledger_tasks.errors import FailedForGoodError, LedgerError

SUFFIXES: Final = frozenset([".pdf", ".jpg", ".jpeg", ".png", ".tif", ".tiff", ".webp"])
FINAL: Final = frozenset({"succeeded", "review_required", "failed"})
COLUMNS: Final = ("file", "status", "merchant", "date", "total", "reason")
WAIT_SECONDS: Final = 300
"""Each receipt takes about a second; a crowded machine may need much longer."""
LOOK_SECONDS: Final = 2.0

NEXT: Final = """\
Try next, with a folder of your own receipts:
  export PATH="$PWD/.venv/bin:$PATH"
  RECEIPT_SOURCE_ROOT=/path/to/receipts ledger dev up --roles beat,publisher,ocr,collector
  eval "$(ledger dev env)"
  ledger receipts publish
  ledger receipts list
  ledger dev down"""


def main(samples: Path) -> int:
    """Run the demo and return its exit code."""
    folder = default_folder()
    stack = Stack(folder.with_name(f"{folder.name}-demo"))
    stack.down(purge=True)  # a demo that was interrupted may have left one
    try:
        _run(Stack(stack.home.folder), samples)
    except LedgerError as error:
        report(error)
        return error.exit_code
    finally:
        stack.down(purge=True)
    print(NEXT)  # noqa: T201 (this is a command)
    return 0


def _run(stack: Stack, samples: Path) -> None:
    say("demo: starting private RabbitMQ, PostgreSQL and NATS ...")
    caller = for_every_program(os.environ)
    up(stack, (), caller, with_s3=False)
    root = Path(stack.state.environment["RECEIPT_SOURCE_ROOT"])
    files = [shutil.copy2(path, root) for path in sorted(samples.iterdir()) if path.suffix in SUFFIXES]
    say("demo: starting the OCR worker and the collector ...")
    up(stack, ("ocr", "collector"), caller, with_s3=False)
    environment = {**caller, **stack.state.environment}
    say(f"demo: ledger receipts publish ({len(files)} files)")
    _ledger("receipts", "publish", environment=environment)
    receipts = _wait_until_final(environment, len(files))
    rows = [
        (each["source_reference"], each["status"], *_read(each))
        for each in sorted(receipts, key=itemgetter("source_reference"))
    ]
    table(COLUMNS, rows, title="ledger receipts list")


def _wait_until_final(environment: Mapping[str, str], expected: int) -> list[dict[str, Any]]:
    deadline, last = time.monotonic() + WAIT_SECONDS, -1
    while True:
        receipts = json.loads(_ledger("receipts", "list", "--json", environment=environment))["receipts"]
        done = [each for each in receipts if each["status"] in FINAL]
        if len(done) != last:
            say(f"demo: {len(done)} of {expected} receipts done")
            last = len(done)
        if last >= expected:
            return done
        if time.monotonic() > deadline:
            raise FailedForGoodError(f"{expected - last} of {expected} receipts were not done in {WAIT_SECONDS} s")
        time.sleep(LOOK_SECONDS)


def _read(receipt: Mapping[str, Any]) -> tuple[str, str, str, str]:
    """Return merchant, date, total and reason as shown."""
    total = f"{receipt['total']} {receipt['currency'] or '?'}" if receipt["total"] else ""
    reason = receipt["error_code"] or ", ".join(receipt["reasons"] or ())
    return receipt["merchant"] or "", receipt["date"] or "", total, reason


def _ledger(*words: str, environment: Mapping[str, str]) -> str:
    program = Path(sysconfig.get_path("scripts")) / "ledger"
    done = subprocess.run([program, *words], env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise FailedForGoodError(f"`ledger {' '.join(words)}` ended with {done.returncode}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
