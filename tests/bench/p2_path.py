"""P2: 60 receipts from the first publication to the last commit, against the same reader called bare."""

import hashlib
import multiprocessing
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg

from contracts.receipts.work import process
from ledger_tasks.clock import new_id
from ledger_tasks.messaging.message import work_message
from ledger_tasks.messaging.publish import Publisher
from ledger_tasks.ocr.reading import Reader
from tests.bench.harness import Row, alternate, time_row
from tests.support.roles import RunningRole
from tests.support.servers import Broker, Database, Volumes, fresh, throwaway_stack

RECEIPTS = 60
ROUNDS = 3
WORKERS = 2
PATIENCE_SECONDS = 600


def run() -> list[Row]:
    with ExitStack() as ends, TemporaryDirectory() as name:
        folder = Path(name)
        stack = ends.enter_context(throwaway_stack("bench-p2"))
        stack.start("rabbitmq", "postgresql")
        broker, database = Broker(stack.rabbitmq, fresh("p2")), Database(stack.postgresql, fresh("p2"))
        volumes = Volumes(folder / "receipts", folder / "ocr-cache")
        broker.create()
        database.create()
        volumes.create()
        environments = [broker.environment | volumes.environment] * WORKERS
        roles = [RunningRole(("ocr",), each, folder / f"ocr-{place}") for place, each in enumerate(environments)]
        roles.append(RunningRole(("collector",), broker.environment | database.environment, folder / "collector"))
        for role in roles:
            ends.callback(role.end)
            role.wait_until_consuming()
        publisher = ends.enter_context(Publisher(broker.url))
        watching = ends.enter_context(psycopg.connect(database.url, autocommit=True))
        bare = ends.enter_context(ProcessPoolExecutor(WORKERS, multiprocessing.get_context("spawn")))
        batches = iter([make(volumes.root / f"round-{number}", number) for number in range(ROUNDS + 1)])
        warm = next(batches)
        through_everything(warm, volumes.root, publisher, watching)
        read_bare(warm, bare)
        waiting: list[Sequence[Path]] = []

        def ours() -> float:
            waiting.append(next(batches))
            return through_everything(waiting[-1], volumes.root, publisher, watching)

        found, reference = alternate(ROUNDS, ours, lambda: read_bare(waiting[-1], bare))
    return [
        time_row("P2", f"{RECEIPTS} receipts, 2 workers, publication to commit / bare reader", found, reference, 1.05)
    ]


def make(folder: Path, seed: int) -> list[Path]:
    words = [
        "-m",
        "tests.support.slips",
        str(folder),
        "--language",
        "en",
        "--count",
        str(RECEIPTS),
        "--seed",
        str(seed),
    ]
    subprocess.run([sys.executable, *words], check=True, capture_output=True)
    return sorted((folder / "img").iterdir())


def through_everything(paths: Sequence[Path], root: Path, publisher: Publisher, watching: psycopg.Connection) -> float:
    """Publish works and wait until each receipt has its final row."""
    works = [
        process(hashlib.sha256(path.read_bytes()).hexdigest(), path.relative_to(root).as_posix()) for path in paths
    ]
    hashes = [work.source_sha256 for work in works]
    begun = time.perf_counter()
    publisher.publish([work_message(work, publication=new_id()) for work in works])
    while time.perf_counter() - begun < PATIENCE_SECONDS:
        done = watching.execute(
            "SELECT count(*) FROM ingest.receipt_processing_status WHERE source_sha256 = ANY(%s)", (hashes,)
        ).fetchone()
        if done and done[0] == len(hashes):
            return time.perf_counter() - begun
        time.sleep(0.02)
    raise TimeoutError("not every receipt was done")


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
