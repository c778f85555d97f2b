"""P6: a scan over 100,000 finished receipts in which nothing changed, against `find -printf` over what it looks at.

A scan looks at each receipt and at its cache. Beside the reference that does the same stands the one that lists the
receipts alone. The cache files here hold no valid cache: a scan that opened one would publish it as missing.
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.bench.harness import Row, alternate, seconds, time_row
from tests.bench.inbox import Inbox, make_inbox, places

FILES = 100_000
FEW = 10_000
ROUNDS = 5
ROOT = Path(__file__).parents[2]


def run() -> list[Row]:
    with places("p6") as (stack, folder):
        many, few = (make_inbox(stack, folder / name) for name in ("many", "few"))
        for inbox, files in ((many, FILES), (few, FEW)):
            inbox.put(files, b"")
            inbox.complete()
        ours, both, receipts = alternate(
            ROUNDS,
            lambda: seconds(lambda: rescan(many)),
            lambda: seconds(lambda: find(many.volumes.root, many.volumes.cache)),
            lambda: seconds(lambda: find(many.volumes.root)),
        )
        large, small = peak_megabytes(many), peak_megabytes(few)
    return [
        time_row("P6", "rescan of 100,000 / find -printf over receipts and caches", ours, both, 3),
        time_row("P6", "rescan of 100,000 / find -printf over the receipts alone", ours, receipts, 3),
        Row(
            "P6",
            "peak memory, 100,000 files / 10,000",
            f"{large} MB",
            f"{small} MB",
            large / small,
            "<= 1.1",
            large <= small * 1.1,
        ),
    ]


def rescan(inbox: Inbox) -> None:
    summary = inbox.scan()
    assert (summary.skipped, summary.discovered) == (FILES, FILES), summary


def find(*folders: Path) -> None:
    subprocess.run(["find", *folders, "-printf", "%p %D %i %s %T@ %C@\\n"], stdout=subprocess.DEVNULL, check=True)


def peak_megabytes(inbox: Inbox) -> int:
    """Return the largest resident size of a process that scans, as the kernel counted it for that program alone."""
    environment = {"PATH": os.environ["PATH"], **inbox.environment}
    program = (
        "from pathlib import Path\n"
        "from ledger_tasks.cli import run\n"
        "assert run(['receipts', 'publish']) == 0\n"
        "print(next(line for line in Path('/proc/self/status').open() if line.startswith('VmHWM')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, cwd=ROOT, capture_output=True, text=True, check=True
    )
    return int(done.stdout.split()[-2]) // 1024
