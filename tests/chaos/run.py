"""One run: a plan and a world come in; receipts go through under faults; the ledger and what fired go out."""

import os
import subprocess
import sys
import sysconfig
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from sqlalchemy import create_engine, make_url

from contracts.receipts.work import decode_work, encode_work, reprocess
from ledger_tasks.clock import new_id
from ledger_tasks.messaging.message import work_message
from ledger_tasks.messaging.publish import BrokerAwayError, Publisher
from ledger_tasks.messaging.topology import RECEIPTS, RESULTS
from tests.chaos import sabotage
from tests.chaos.audit import Ledger, audit
from tests.chaos.faults import KINDS
from tests.chaos.slips import make_slips, total_of
from tests.chaos.world import World

REFRESHES = 8
"""Receipts that are asked to be read again between two faults: the system is never idle when one fires."""

PATIENCE_SECONDS = 90
"""How long a kind that found nothing to break yet is tried again after the time is over."""

QUIET_LOOKS = 8
"""Looks a second apart: the counters of the management API lag up to 5 s."""

QUIET_SECONDS = 240
"""How long the system may take to come to rest after the last fault, on a busy machine of two cores."""


@dataclass(frozen=True)
class Plan:
    """What is to happen; the same seed draws the same faults."""

    receipts: int
    seconds: float
    seed: int
    kinds: Sequence[str]
    sabotage: str = ""


def run(made: World, plan: Plan) -> tuple[Ledger, Counter[str]]:
    works = make_slips(made.volumes.root, plan.receipts)
    totals = {work.source_sha256: total_of(number) for number, work in enumerate(works)}
    engine = create_engine(make_url(made.database.url).set(drivername="postgresql+psycopg"), pool_pre_ping=True)
    scan(made)
    made.bodies += [encode_work(work) for work in works]
    if plan.sabotage == "drop":
        sabotage.drop(made)
    fired, requests = break_things(made, plan)
    come_to_rest(made)
    if plan.sabotage == "double":
        sabotage.double(engine)
    if plan.sabotage == "stick":
        sabotage.stick(engine)
    ledger(made, "dead", "list")
    try:
        return audit(engine, totals, requests), fired
    finally:
        engine.dispose()


def ledger(made: World, *words: str) -> str:
    """Run the real command in this world."""
    command = [Path(sysconfig.get_path("scripts")) / "ledger", *words, "--json"]
    environment = dict(os.environ) | made.environment
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def scan(made: World) -> None:
    print("chaos:", ledger(made, "receipts", "publish").strip(), file=sys.stderr)


def break_things(made: World, plan: Plan) -> tuple[Counter[str], list[str]]:
    """Fire faults at random moments until the time is over, every kind at least once; roles are restarted meanwhile.

    Returns what fired, and the refresh requests that the broker confirmed: each must be answered.
    """
    fired: Counter[str] = Counter()
    requests: list[str] = []
    random = Random(plan.seed)
    deadline = time.monotonic() + plan.seconds
    made.keep_running()
    waiting = random.sample(plan.kinds, len(plan.kinds))
    while time.monotonic() < deadline or (waiting and time.monotonic() < deadline + PATIENCE_SECONDS):
        requests += refresh(made, random)
        kind = waiting.pop(0) if waiting else random.choice(plan.kinds)
        if KINDS[kind](made, random):
            fired[kind] += 1
        elif not fired[kind]:
            waiting.append(kind)
        made.keep_running()
        time.sleep(random.uniform(0.3, 2.5))
    return fired, requests


def refresh(made: World, random: Random) -> list[str]:
    """Ask for some receipts to be read again; return the requests that were confirmed."""
    works = [decode_work(body) for body in random.sample(made.bodies, min(REFRESHES, len(made.bodies)))]
    asked = [reprocess(work.source_sha256, work.source_reference, new_id()) for work in works]
    with Publisher(made.broker.url) as publisher:
        try:
            fate = publisher.attempt([work_message(work, publication=new_id()) for work in asked])
        except BrokerAwayError:
            return []
    return [asked[position].request_id for position in sorted(fate.confirmed)]


def come_to_rest(made: World) -> None:
    """Wait until nothing waits and nothing is in a worker's hands, for longer than the broker's counters lag."""
    deadline = time.monotonic() + QUIET_SECONDS
    quiet = 0
    while quiet < QUIET_LOOKS and time.monotonic() < deadline:
        made.keep_running()
        time.sleep(1)
        quiet = quiet + 1 if is_quiet(made) else 0


def is_quiet(made: World) -> bool:
    """Say whether nothing waits and nothing is in anybody's hands; a node that just booted knows no count yet."""
    counts = {queue["name"]: queue.get("messages") for queue in made.broker.api("queues")}
    return all(counts.get(name) == 0 for name in (RECEIPTS.work, RECEIPTS.retry, RESULTS.work, RESULTS.retry))
