"""The whole path as a thing to measure: N OCR workers and a collector on servers of their own; slips go through it."""

import hashlib
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from contracts.receipts.work import process
from ledger_tasks.clock import new_id
from ledger_tasks.devstack.stack import Stack
from ledger_tasks.messaging.message import work_message
from ledger_tasks.messaging.publish import Publisher
from tests.support.roles import RunningRole
from tests.support.servers import Broker, Database, Volumes, fresh

PATIENCE_SECONDS = 600


@dataclass(frozen=True)
class Chain:
    """Roles that consume, a publisher into them, and a connection that watches the rows come."""

    root: Path
    publisher: Publisher
    watching: psycopg.Connection

    def made(self, name: str, count: int, seed: int) -> list[Path]:
        """Draw slips below the receipt root."""
        words = [str(self.root / name), "--language", "en", "--count", str(count), "--seed", str(seed)]
        subprocess.run([sys.executable, "-m", "tests.support.slips", *words], check=True, capture_output=True)
        return sorted((self.root / name / "img").iterdir())

    def put_through(self, paths: Sequence[Path]) -> float:
        """Publish works, wait until each receipt has its final row, and return the seconds."""
        hashed = [(hashlib.sha256(path.read_bytes()).hexdigest(), path) for path in paths]
        works = [process(sha256, path.relative_to(self.root).as_posix()) for sha256, path in hashed]
        hashes = [work.source_sha256 for work in works]
        begun = time.perf_counter()
        self.publisher.publish([work_message(work, publication=new_id()) for work in works])
        while time.perf_counter() - begun < PATIENCE_SECONDS:
            done = self.watching.execute(
                "SELECT count(*) FROM ingest.receipt_processing_status WHERE source_sha256 = ANY(%s)", (hashes,)
            ).fetchone()
            if done and done[0] == len(hashes):
                return time.perf_counter() - begun
            time.sleep(0.02)
        raise TimeoutError("not every receipt was done")


@contextmanager
def running(stack: Stack, folder: Path, workers: int) -> Iterator[Chain]:
    """Start `workers` OCR workers of one process each, and a collector; all end with the block."""
    with ExitStack() as ends:
        stack.start("rabbitmq", "postgresql")
        broker, database = Broker(stack.rabbitmq, fresh("bench")), Database(stack.postgresql, fresh("bench"))
        volumes = Volumes(folder / "receipts", folder / "ocr-cache")
        broker.create()
        database.create()
        volumes.create()
        environments = [broker.environment | volumes.environment] * workers
        roles = [RunningRole(("ocr",), each, folder / f"ocr-{place}") for place, each in enumerate(environments)]
        roles.append(RunningRole(("collector",), broker.environment | database.environment, folder / "collector"))
        for role in roles:
            ends.callback(role.end)
            role.wait_until_consuming()
        publisher = ends.enter_context(Publisher(broker.url))
        watching = ends.enter_context(psycopg.connect(database.url, autocommit=True))
        yield Chain(volumes.root, publisher, watching)
