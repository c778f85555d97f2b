"""P2: 60 receipts from the first publication to the last commit, against the same reader called bare."""

import multiprocessing
import time
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from ledger_tasks.ocr.reading import Reader
from tests.bench.chain import running
from tests.bench.harness import Row, alternate, time_row
from tests.support.servers import throwaway_stack

RECEIPTS = 60
ROUNDS = 3
WORKERS = 2


def run() -> list[Row]:
    with ExitStack() as ends, TemporaryDirectory() as name:
        stack = ends.enter_context(throwaway_stack("bench-p2"))
        chain = ends.enter_context(running(stack, Path(name), WORKERS))
        bare = ends.enter_context(ProcessPoolExecutor(WORKERS, multiprocessing.get_context("spawn")))
        batches = iter([chain.made(f"round-{number}", RECEIPTS, number) for number in range(ROUNDS + 1)])
        warm = next(batches)
        chain.put_through(warm)
        read_bare(warm, bare)
        waiting: list[Sequence[Path]] = []

        def ours() -> float:
            waiting.append(next(batches))
            return chain.put_through(waiting[-1])

        found, reference = alternate(ROUNDS, ours, lambda: read_bare(waiting[-1], bare))
    return [
        time_row("P2", f"{RECEIPTS} receipts, 2 workers, publication to commit / bare reader", found, reference, 1.05)
    ]


def read_bare(paths: Sequence[Path], bare: ProcessPoolExecutor) -> float:
    """Read the same receipts in two processes that share them one by one, with no queue, cache or database."""
    begun = time.perf_counter()
    reading: list[Future[None]] = [bare.submit(read, path) for path in paths]
    for each in reading:
        each.result()
    return time.perf_counter() - begun


@cache
def reader() -> Reader:
    return Reader(pages_per_reader=100_000)


def read(path: Path) -> None:
    reader().read(path.read_bytes(), timeout=60)
