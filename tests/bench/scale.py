"""Scale-out: one worker against two on this machine, and from the service times measured here a plan for more.

The plan takes each part as a server with a fixed time for one receipt: it saturates when the workers bring receipts
faster. One connection publishes, one collector commits and one process writes the volume; what helps then is said.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import SecretStr
from rich.console import Console
from rich.table import Table

from contracts.receipts.work import process
from ledger_tasks.clock import new_id
from ledger_tasks.devstack.stack import Stack
from ledger_tasks.files.shared import read_whole, write_whole
from ledger_tasks.messaging.message import work_message
from ledger_tasks.messaging.publish import Publisher
from ledger_tasks.messaging.topology import declare, receipts_topology
from ledger_tasks.storage.database import connect
from tests.bench import p4_collector
from tests.bench.chain import running
from tests.bench.harness import Row, alternate, rate_row, seconds
from tests.support.servers import Database, fresh, throwaway_stack

RECEIPTS = 40
ROUNDS = 2
PUBLISHED = 3000
WRITTEN = 100

MESSAGES_PER_RECEIPT = 3
"""One work message, and the events of one pass and of the completed run."""

EVENTS_PER_RECEIPT = 2
SOURCE_BYTES, CACHE_BYTES = 300_000, 30_000
DURABLE_WRITES_PER_RECEIPT = 3
"""The cache, its artifact and the marker of the request."""

WORKERS = (10, 100, 1000)


@dataclass(frozen=True)
class Part:
    """One part of the path: how many receipts a second it takes, and what to change when that is not enough."""

    name: str
    receipts_per_second: float
    change: str


def run() -> list[Row]:
    with throwaway_stack("bench-scale") as stack, TemporaryDirectory() as name:
        folder = Path(name)
        one, two = alternate(ROUNDS, timed(stack, folder / "one", 1), timed(stack, folder / "two", 2))
        plan(RECEIPTS / min(one), parts(stack, folder))
    return [rate_row("SCALE", f"{RECEIPTS} receipts, 2 workers / 1", RECEIPTS, two, one, 1.8)]


def timed(stack: Stack, folder: Path, workers: int) -> Callable[[], float]:
    """Return a measurement of a chain that is made, warmed with as many receipts as it has workers, and ended."""
    seeds = iter(range(1, 100))

    def measured() -> float:
        seed = next(seeds)
        place = folder / str(seed)
        place.mkdir(parents=True)
        with running(stack, place, workers) as chain:
            chain.put_through(chain.made("warm", 4 * workers, 1000 + seed))
            return chain.put_through(chain.made("measured", RECEIPTS, seed))

    return measured


def parts(stack: Stack, folder: Path) -> list[Part]:
    """Measure what each part takes when nothing else runs."""
    return [
        Part("broker", broker_rate(stack) / MESSAGES_PER_RECEIPT, "more queues by source hash, led by other nodes"),
        Part("collector", collector_rate(stack) / EVENTS_PER_RECEIPT, "collector shards by source hash"),
        Part("shared volume", volume_rate(folder), "S3 in place of the shared volume"),
    ]


def broker_rate(stack: Stack) -> float:
    with Publisher(stack.rabbitmq.url) as publisher:
        declare(publisher.connection(), receipts_topology())
        works = [process(f"{number:064x}", f"{number}.jpg") for number in range(PUBLISHED)]
        made = [work_message(work, publication=new_id()) for work in works]
        return PUBLISHED / seconds(lambda: publisher.publish(made))


def collector_rate(stack: Stack) -> float:
    database = Database(stack.postgresql, fresh("scale"))
    database.create()
    engine = connect(SecretStr(database.url_of("ledger_collector")))
    events = p4_collector.made_events()
    return len(events) / seconds(lambda: p4_collector.in_groups(engine, events))


def volume_rate(folder: Path) -> float:
    source = folder / "source"
    source.write_bytes(bytes(SOURCE_BYTES))

    def write() -> None:
        for number in range(WRITTEN):
            read_whole(source)
            for kind in range(DURABLE_WRITES_PER_RECEIPT):
                write_whole(folder / "volume" / f"{number}-{kind}.json", bytes(CACHE_BYTES))

    return WRITTEN / seconds(write)


def plan(per_worker: float, measured: Sequence[Part]) -> None:
    """Print for each number of workers what they bring, which part saturates first, and what to change then."""
    first = min(measured, key=lambda part: part.receipts_per_second)
    each = ", ".join(f"{part.name} {part.receipts_per_second:.0f}" for part in measured)
    title = f"receipts a second that one takes: {each}"
    table = Table("Workers", "They bring", "Busiest part", "Load", "What to change", title=title)
    for workers in WORKERS:
        load = workers * per_worker / first.receipts_per_second
        table.add_row(
            str(workers),
            f"{workers * per_worker:.1f}/s",
            f"{first.name}, full at {first.receipts_per_second / per_worker:.0f} workers",
            f"{load:.0%}",
            first.change if load > 1 else "nothing",
        )
    Console(width=160).print(table)
