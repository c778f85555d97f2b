"""SOAK and P11: receipts, each of them new, through queues and two workers; throughput and memory over time.

SOAK_PAGES says how many (100 unless told). LEDGER_BENCH_RECEIPTS is a folder whose img/ holds what is encoded anew,
else slips are made here. The memory of each role over time is drawn into build/soak.svg.
"""

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

import psutil
import psycopg
from PIL import Image

from contracts.receipts.work import process
from ledger_tasks.clock import new_id
from ledger_tasks.messaging.message import work_message
from ledger_tasks.messaging.publish import Publisher
from tests.bench.drawing import Series, svg
from tests.bench.harness import Row
from tests.support.roles import RunningRole
from tests.support.servers import Broker, Database, Volumes, fresh, throwaway_stack

WORKERS: Final = 2
SLIPS: Final = 60
WARM: Final = 50
"""Receipts after which a role has loaded all that it needs."""

GROWTH: Final = 1.10
OCR_MEGABYTES: Final = 1000
PAGES_PER_MINUTE: Final = 120
LOOK_SECONDS: Final = 2.0
STUCK_SECONDS: Final = 180
"""Without one more receipt done in this time, something hangs."""

PLOT: Final = Path("build/soak.svg")


def run() -> list[Row]:
    pages = int(os.environ.get("SOAK_PAGES", "100"))
    with ExitStack() as ends, TemporaryDirectory() as name:
        folder = Path(name)
        stack = ends.enter_context(throwaway_stack("bench-soak"))
        stack.start("rabbitmq", "postgresql")
        broker, database = Broker(stack.rabbitmq, fresh("soak")), Database(stack.postgresql, fresh("soak"))
        volumes = Volumes(folder / "receipts", folder / "ocr-cache")
        for each in (broker, database, volumes):
            each.create()
        ocr = broker.environment | volumes.environment
        roles = {f"ocr {place}": RunningRole(("ocr",), ocr, folder / f"ocr-{place}") for place in (1, WORKERS)}
        roles["collector"] = RunningRole(
            ("collector",), broker.environment | database.environment, folder / "collector"
        )
        for role in roles.values():
            ends.callback(role.end)
            role.wait_until_consuming()
        works = [process(sha256, reference) for sha256, reference in _receipts(folder, volumes.root, pages)]
        with Publisher(broker.url) as publisher:
            publisher.publish([work_message(work, publication=new_id()) for work in works])
        watching = ends.enter_context(psycopg.connect(database.url, autocommit=True))
        begun = time.monotonic()
        seen = list(_watch(watching, roles, pages))
        minutes = (time.monotonic() - begun) / 60
        failed = watching.execute("SELECT count(*) FROM ingest.receipt_processing_status WHERE status = 'failed'")
        failures = sum(row[0] for row in failed)
    series = [Series(name, [(done, memory[name]) for done, memory in seen]) for name in roles]
    PLOT.parent.mkdir(exist_ok=True)
    PLOT.write_text(svg(f"Memory of each role over {pages} receipts", "receipts", "MB", series), encoding="utf-8")
    return [*_rows(pages, minutes, failures), *(_growth(each) for each in series)]


def _watch(
    watching: psycopg.Connection, roles: dict[str, RunningRole], pages: int
) -> Iterator[tuple[int, dict[str, float]]]:
    """Yield how many receipts are done and the megabytes of each role, until all are done."""
    done, since = 0, time.monotonic()
    while done < pages:
        time.sleep(LOOK_SECONDS)
        row = watching.execute("SELECT count(*) FROM ingest.receipt_processing_status").fetchone()
        now = row[0] if row else 0
        if now > done:
            done, since = now, time.monotonic()
        if time.monotonic() - since > STUCK_SECONDS:
            raise TimeoutError(f"{done} of {pages} receipts were done, then none for {STUCK_SECONDS} s")
        yield done, {name: megabytes(role.pid) for name, role in roles.items()}


def megabytes(pid: int) -> float:
    """Return what a process and all below it hold, memory that they share counted once (PSS)."""
    total = 0
    for each in [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]:
        try:
            total += each.memory_full_info().pss
        except psutil.NoSuchProcess:
            continue
    return total / 1_000_000


def _rows(pages: int, minutes: float, failures: int) -> list[Row]:
    rate, ratio = pages / minutes, pages / minutes / PAGES_PER_MINUTE
    what = f"{pages} receipts, {WORKERS} workers"
    return [
        Row("SOAK", f"{what}: pages a minute", f"{rate:.0f}", f"{PAGES_PER_MINUTE}", ratio, ">= 1", ratio >= 1),
        Row("SOAK", f"{what}: failures", str(failures), "0", failures, "0", failures == 0),
    ]


def _growth(series: Series) -> Row:
    """Compare the last fifth with the time after warming up; an OCR worker has a limit, for its reader is recycled."""
    last = series.points[-1][0]
    warm = median([memory for done, memory in series.points if WARM <= done <= 2 * WARM] or [series.points[-1][1]])
    late = median(memory for done, memory in series.points if done >= 0.8 * last)
    most = max(memory for _, memory in series.points)
    ours = f"{late:.0f} MB, at most {most:.0f} MB"
    if series.name.startswith("ocr"):
        ratio = most / OCR_MEGABYTES
        return Row("P11", f"{series.name}: memory", ours, f"{OCR_MEGABYTES} MB", ratio, "<= 1", ratio <= 1)
    ratio = late / warm
    return Row("P11", f"{series.name}: memory", ours, f"{warm:.0f} MB", ratio, f"<= {GROWTH}", ratio <= GROWTH)


def _receipts(folder: Path, root: Path, pages: int) -> Iterator[tuple[str, str]]:
    """Write each receipt anew with a seeded change, so that every hash is new; yield hash and reference."""
    originals = _originals(folder)
    for number in range(pages):
        chance = Random(number)
        content = changed(originals[number % len(originals)].read_bytes(), chance, number)
        reference = f"{number // 100:03}/{number:05}.jpg"
        path = root / reference
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        yield hashlib.sha256(content).hexdigest(), reference


def changed(content: bytes, chance: Random, number: int) -> bytes:
    """Return the picture with a narrow border and compression by chance; its number makes the hash one of its own."""
    picture = Image.open(BytesIO(content)).convert("L")
    left, top = chance.randint(0, 9), chance.randint(0, 9)
    paper = Image.new("L", (picture.width + left, picture.height + top), 255)
    paper.paste(picture, (left, top))
    written = BytesIO()
    paper.save(written, "JPEG", quality=chance.randint(80, 95), comment=f"receipt {number}")
    return written.getvalue()


def _originals(folder: Path) -> Sequence[Path]:
    given = os.environ.get("LEDGER_BENCH_RECEIPTS")
    if not given:
        words = ["-m", "tests.support.slips", str(folder / "slips"), "--count", str(SLIPS)]
        subprocess.run([sys.executable, *words], check=True, capture_output=True)
    return sorted((Path(given) if given else folder / "slips").glob("img/*"))
