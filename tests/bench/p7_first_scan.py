"""P7: the first scan of 10,000 files of 300 KB, published and confirmed, against `sha256sum` over them."""

import subprocess

from ledger_tasks.devstack.stack import Stack
from tests.bench.harness import Row, alternate, seconds, time_row
from tests.bench.inbox import anew, make_inbox, places
from tests.support.servers import Volumes

FILES = 10_000
BYTES = 300 * 1024
ROUNDS = 3


def run() -> list[Row]:
    with places("p7") as (stack, folder):
        inbox = make_inbox(stack, folder / "inbox")
        inbox.put(FILES, bytes(BYTES - 8))
        ours, reference = alternate(
            ROUNDS,
            lambda: first_scan(stack, inbox.volumes),
            lambda: seconds(lambda: hashes(inbox.volumes)),
        )
    return [time_row("P7", "first scan of 10,000 files of 300 KB / sha256sum over them", ours, reference, 1.2)]


def first_scan(stack: Stack, volumes: Volumes) -> float:
    inbox = anew(stack, volumes)
    taken = seconds(inbox.scan)
    assert inbox.scan().already_queued == FILES
    return taken


def hashes(volumes: Volumes) -> None:
    command = "find . -type f -name '*.pdf' -print0 | xargs -0 sha256sum"
    subprocess.run(["sh", "-c", command], cwd=volumes.root, stdout=subprocess.DEVNULL, check=True)
