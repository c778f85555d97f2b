"""What is old goes and what is named stays, on real files beside a real database."""

import os
import threading
from datetime import UTC, datetime

import psycopg
import pytest
from pydantic import SecretStr

from ledger_tasks.files import attempts, locks, markers
from ledger_tasks.files.attempts import Budget, write_budget
from ledger_tasks.files.batches import announce, read_manifest, record_finished
from ledger_tasks.files.locks import lock_path, source_lock
from ledger_tasks.files.markers import Marker, write_marker
from ledger_tasks.files.old import last_swept
from ledger_tasks.files.shared import write_whole
from ledger_tasks.housekeeping.sweep import is_due, sweep
from ledger_tasks.storage.database import connect

OLD, YOUNG, LEASED, DEAD, HELD = (letter * 64 for letter in "abcde")
REQUEST = "840023b1-a078-4914-b074-81bd7129bb75"
DAYS = 90
AT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def engine(database):
    made = connect(SecretStr(database.url_of("ledger_publisher")))
    yield made
    made.dispose()


def fill(cache, sha256):
    with source_lock(cache, sha256, seconds=1) as lock:
        lock.next_generation()
        write_marker(cache, Marker(source_sha256=sha256, request_id=REQUEST, cache_sha256=sha256))
        write_budget(cache, sha256, Budget(key="k", message_id="m", publication=REQUEST, opened_at=AT))


def age(cache, days, *parts):
    """Make everything in these folders older, as the volume tells it."""
    for path in [found for part in parts for found in (cache / part, *(cache / part).rglob("*"))]:
        then = path.stat().st_mtime - days * 86_400
        os.utime(path, (then, then))


def left(cache, sha256):
    places = (cache / attempts.FOLDER / sha256, cache / markers.FOLDER / sha256, lock_path(cache, sha256))
    return sum(
        1 for place in places for _ in (place.rglob("*") if place.is_dir() else [place] if place.exists() else [])
    )


def test_what_is_older_than_the_retention_goes_and_what_is_young_or_named_stays(volumes, database, engine):
    cache = volumes.cache
    for sha256 in (OLD, LEASED, DEAD):
        fill(cache, sha256)
    age(cache, DAYS + 1, ".locks", attempts.FOLDER, markers.FOLDER)
    fill(cache, YOUNG)
    with psycopg.connect(database.url, autocommit=True) as connection:
        connection.execute("INSERT INTO ingest.receipts VALUES (%s, 'a.jpg')", [LEASED])
        connection.execute(
            "INSERT INTO ingest.publications (source_sha256, purpose, publication, state, planned_at) "
            "VALUES (%s, 'normal', gen_random_uuid(), 'planned', now())",
            [LEASED],
        )
        connection.execute(
            "INSERT INTO budget.dead_letters (id, family, source_sha256, code, dead_at) "
            "VALUES (gen_random_uuid(), 'receipts.v1', %s, 'TIMEOUT', now())",
            [DEAD],
        )
    assert sweep(cache, engine, DAYS).files == 3
    assert [left(cache, each) for each in (OLD, YOUNG, LEASED, DEAD)] == [0, 3, 3, 3]


def test_a_source_that_a_worker_holds_is_left_and_its_lock_stays_the_same_file(volumes, engine):
    fill(volumes.cache, HELD)
    age(volumes.cache, DAYS + 1, ".locks", attempts.FOLDER, markers.FOLDER)
    with source_lock(volumes.cache, HELD, seconds=1) as lock:
        assert sweep(volumes.cache, engine, DAYS).files == 0
        assert lock.path.exists()
    assert sweep(volumes.cache, engine, DAYS).files == 3


def test_a_worker_that_waits_for_a_lock_while_it_is_removed_locks_the_new_file(volumes, engine):
    fill(volumes.cache, OLD)
    age(volumes.cache, DAYS + 1, ".locks")
    got = []
    with source_lock(volumes.cache, OLD, seconds=1) as held:

        def wait():
            with source_lock(volumes.cache, OLD, seconds=20) as lock:
                got.append((os.fstat(lock.descriptor).st_ino, lock.path.stat().st_ino))

        waiter = threading.Thread(target=wait)
        waiter.start()
        held.path.unlink()
    waiter.join(20)
    ((held_inode, named_inode),) = got
    assert held_inode == named_inode


def test_old_artifacts_go_unless_a_row_names_them_or_they_are_a_cache_now(volumes, database, engine):
    folder = volumes.cache / ".artifacts"
    for name in ("1" * 64, "2" * 64, "3" * 64, "4" * 64):
        write_whole(folder / f"{name}.json", b"{}")
    os.link(folder / f"{'3' * 64}.json", volumes.cache / "a.jpg.json")
    age(volumes.cache, DAYS + 1, ".artifacts")
    write_whole(folder / f"{'4' * 64}.json", b"{}")
    with psycopg.connect(database.url, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO budget.receipt_ocr_artifacts VALUES (gen_random_uuid(), 'cache', 'a', %s, 'a/b', 2)",
            ["2" * 64],
        )
    assert sweep(volumes.cache, engine, DAYS).artifacts == 1
    assert sorted(path.stem[0] for path in folder.iterdir()) == ["2", "3", "4"]


def test_a_batch_goes_when_nothing_happened_in_it_for_so_long(volumes, engine):
    announce(volumes.cache, REQUEST, "cache_only", [(OLD, REQUEST), (YOUNG, REQUEST)])
    age(volumes.cache, DAYS + 1, ".batches")
    record_finished(volumes.cache, REQUEST, REQUEST, 2)
    assert sweep(volumes.cache, engine, DAYS).batches == 0
    assert read_manifest(volumes.cache, REQUEST).total == 2
    age(volumes.cache, DAYS + 1, ".batches")
    assert sweep(volumes.cache, engine, DAYS).batches == 1
    assert read_manifest(volumes.cache, REQUEST) is None


def test_a_sweep_is_due_once_a_day_by_the_clock_of_the_volume(volumes, engine):
    assert is_due(volumes.cache)
    sweep(volumes.cache, engine, DAYS)
    assert not is_due(volumes.cache)
    then = last_swept(volumes.cache) - 86_401
    os.utime(volumes.cache / ".swept", (then, then))
    assert is_due(volumes.cache)


def test_an_empty_volume_is_swept(volumes, engine):
    assert sweep(volumes.cache, engine, DAYS).files == 0
    assert not list((volumes.cache / locks.lock_path(volumes.cache, OLD).parent.name).glob("*"))
