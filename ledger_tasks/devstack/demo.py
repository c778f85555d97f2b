"""`make demo`: sample receipts and trial balances in, what became of each out, on a stack that goes afterwards."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Collection, Mapping
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
RECOGNIZED: Final = (0, 5, 6)
"""Exit codes of a job that ended: done, failed, needs a check; two of the samples are wrong on purpose."""
_PROGRAM: Final = Path(sysconfig.get_path("scripts")) / "ledger"

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
    _exchange(stack, caller, samples.parent / "trial_balances")


def _exchange(stack: Stack, caller: Mapping[str, str], balances: Path) -> None:
    """Send trial balances through the other half: outbox, NATS, a recognition service, inbox, mapper."""
    say("demo: starting the recognition exchange and a service that reads trial balances ...")
    up(stack, ("beat", "recognition", "serve"), caller, with_s3=False)
    environment = {**caller, **stack.state.environment}
    service = subprocess.Popen(
        [_PROGRAM, "recognizer", "tabular"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        rows = [_recognized(path, environment) for path in sorted(balances.glob("*.xls*"))]
    finally:
        service.terminate()
        service.wait()
    table(("file", "status", "documents", "rows", "reason"), rows, title="ledger recognition submit FILE --wait")


def _recognized(path: Path, environment: Mapping[str, str]) -> tuple[str, str, int, int, str]:
    words = ("recognition", "submit", str(path), "--pipeline", "tabular", "--wait", "--json")
    job = json.loads(_ledger(*words, environment=environment, allowed=RECOGNIZED))
    found = json.loads(_ledger("recognition", "show", job["file_id"], "--json", environment=environment))
    documents, (attempt,) = found["documents"], found["jobs"]
    told = [attempt["error_code"], *(each["code"] for each in attempt["metrics"].get("warnings", []))]
    rows = sum(len(each["rows"]) for each in documents)
    return path.name, job["status"], len(documents), rows, ", ".join(filter(None, told))


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


def _ledger(*words: str, environment: Mapping[str, str], allowed: Collection[int] = (0,)) -> str:
    done = subprocess.run([_PROGRAM, *words], env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in allowed:
        raise FailedForGoodError(f"`ledger {' '.join(words)}` ended with {done.returncode}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
