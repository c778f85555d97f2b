"""P6: a scan over 100,000 finished receipts in which nothing changed, against `find -printf` over what it looks at.

A scan looks at each receipt and at its cache. Beside the reference that does the same stands the one that lists the
receipts alone. The cache files here hold no valid cache: a scan that opened one would publish it as missing.
"""

import os
import subprocess
import sysconfig
from pathlib import Path

from tests.bench.harness import Row, alternate, seconds, time_row
from tests.bench.inbox import Inbox, make_inbox, places

FILES = 100_000
FEW = 10_000
ROUNDS = 5
LEDGER = Path(sysconfig.get_path("scripts")) / "ledger"


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
    """Return the largest resident size of `ledger receipts publish` as a process."""
    environment = {"PATH": os.environ["PATH"], **inbox.environment}
    process = subprocess.Popen([LEDGER, "receipts", "publish"], env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_maxrss // 1024
