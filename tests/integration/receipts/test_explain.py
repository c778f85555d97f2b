"""`ledger receipts explain` for a receipt in each possible state, made of real rows, files and locks."""

import json
import threading
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from typing import get_args

import psycopg
import pytest
from pydantic import SecretStr

from ledger_tasks.cli import run
from ledger_tasks.clock import new_id
from ledger_tasks.collector.apply import collect
from ledger_tasks.explain import State
from ledger_tasks.files.attempts import Budget, Start, write_budget
from ledger_tasks.files.locks import source_lock
from ledger_tasks.storage.database import connect
from tests.support.events import CAFE, completed, failed, receipt, source

REFERENCE = "2026-08-14/a.pdf"
SHA = source("a")


class World:
    """A root, a cache and a database, in which one receipt is brought into a state."""

    def __init__(self, database, volumes) -> None:
        self.url, self.root, self.cache = database.url, volumes.root, volumes.cache
        (self.root / "2026-08-14").mkdir()

    def put(self, name: str = REFERENCE) -> None:
        (self.root / name).write_bytes(b"%PDF-1.4")

    def lease(self) -> None:
        with psycopg.connect(self.url) as owner:
            owner.execute(
                "INSERT INTO ingest.receipts (source_sha256, source_reference) VALUES (%s, %s)", [SHA, REFERENCE]
            )
            owner.execute(
                "INSERT INTO ingest.receipt_paths (source_sha256, source_reference) VALUES (%s, %s)", [SHA, REFERENCE]
            )
            owner.execute(
                "INSERT INTO ingest.publications (source_sha256, purpose, publication, state, planned_at, confirmed_at)"
                " VALUES (%s, 'normal', gen_random_uuid(), 'confirmed', now(), now())",
                [SHA],
            )

    def start(self, end: str, code: str | None = None) -> None:
        at = datetime.now(UTC)
        begun = Start(id=new_id(), worker="pod:7", at=at, end=end, code=code)
        budget = Budget(key="k", message_id="m", publication=new_id(), opened_at=at, starts=(begun,))
        write_budget(self.cache, SHA, budget)

    def collect(self, event) -> None:
        engine = connect(SecretStr(self.url))
        collect([event], engine, datetime.now(UTC))
        engine.dispose()

    def run(self, statement: str) -> None:
        with psycopg.connect(self.url) as owner:
            owner.execute(statement)


@contextmanager
def growing(world: World):
    """A scanner that goes on writing."""
    world.put()
    done = threading.Event()

    def write() -> None:
        with (world.root / REFERENCE).open("ab", buffering=0) as file:
            while not done.wait(0.01):
                file.write(b"more")

    writer = threading.Thread(target=write)
    writer.start()
    yield
    done.set()
    writer.join()


def skipped(world: World) -> None:
    world.put("2026-08-14/notes.txt")


def invalid(world: World) -> None:
    (world.root / REFERENCE).symlink_to("/etc/hostname")


@contextmanager
def running(world: World):
    world.lease()
    world.start("open")
    with source_lock(world.cache, SHA, seconds=1):
        yield


def retrying(world: World) -> None:
    world.lease()
    world.start("failed", "TIMEOUT")


def held(world: World) -> None:
    world.lease()
    world.start("released")


def dead(world: World) -> None:
    world.collect(failed("a", "r1", code="IMAGE_CORRUPT"))


def exhausted(world: World) -> None:
    world.collect(failed("a", "r1", code="TIMEOUT", attempts=3))
    world.run("UPDATE budget.dead_letters SET state = 'purged', settled_at = now()")


def review(world: World) -> None:
    world.collect(completed("a", "r1", generation=1, said=receipt(("DATE_AMBIGUOUS",), **CAFE)))


def done(world: World) -> None:
    world.collect(completed("a", "r1", generation=1))


CASES = {
    "unknown": (World.put, "not been met by a scan yet", "ledger receipts publish"),
    "skipped": (skipped, "not that of a receipt", ""),
    "invalid": (invalid, "link", "ledger receipts publish"),
    "growing": (growing, "still being written", ""),
    "queued": (World.lease, "waiting for an OCR worker", "ledger status"),
    "running": (running, "OCR runs on pod:7, start 1 of 3", ""),
    "retrying": (retrying, "retry 2 of 3 after TIMEOUT, due about", ""),
    "held": (held, "comes again by itself", "ledger doctor"),
    "dead": (dead, "IMAGE_CORRUPT: no page can be read. Scan or copy", "ledger dead show "),
    "exhausted": (exhausted, "TIMEOUT: no page can be read. Look at the load", f"ledger receipts retry {REFERENCE}"),
    "review": (review, "Day and month could be exchanged. Choose one", f"ledger receipts show {REFERENCE}"),
    "done": (done, "evidence 1, expense 1", ""),
}


def test_every_state_has_its_case() -> None:
    assert set(CASES) == set(get_args(State))


@pytest.mark.parametrize("state", CASES)
def test_explain_gives_the_state_its_reason_and_the_next_command(state, database, volumes, monkeypatch, capsys) -> None:
    bring, reason, command = CASES[state]
    environment = database.environment_of("ledger_core") | volumes.environment | {"RECEIPT_QUIET_SECONDS": "0.2"}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    named = "2026-08-14/notes.txt" if state == "skipped" else REFERENCE
    with bring(World(database, volumes)) or nullcontext():
        assert run(["receipts", "explain", named, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["state"] == state
    assert reason in told["reason"]
    assert told["next"].startswith(command)
    assert bool(told["next"]) is bool(command)
