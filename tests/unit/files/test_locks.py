"""The source lock: it excludes, dies with its holder, is not inherited, and survives the deletion of its file."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ledger_tasks.errors import Infrastructure
from ledger_tasks.files.locks import is_locked, lock_path, source_lock

SHA = "a" * 64

HOLDER = """
import sys, time
from pathlib import Path
from ledger_tasks.files.locks import source_lock
with source_lock(Path(sys.argv[1]), sys.argv[2], seconds=5):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path: Path):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path), SHA], stdout=subprocess.PIPE, start_new_session=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"held\n"
    yield process
    process.kill()
    process.wait()


@pytest.mark.case("C107")
def test_another_process_is_excluded_until_the_holder_is_killed(tmp_path: Path, holder) -> None:
    with pytest.raises(Infrastructure, match="LOCK_BUSY"), source_lock(tmp_path, SHA, seconds=0.1):
        pass
    assert is_locked(tmp_path, SHA)
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    with source_lock(tmp_path, SHA, seconds=5):
        assert is_locked(tmp_path, SHA)
    assert not is_locked(tmp_path, SHA)


@pytest.mark.case("C107")
def test_a_child_does_not_inherit_the_lock(tmp_path: Path) -> None:
    with source_lock(tmp_path, SHA, seconds=1) as held:
        assert not os.get_inheritable(held.descriptor)


def test_a_lock_file_that_was_deleted_meanwhile_is_not_taken_for_the_lock(tmp_path: Path) -> None:
    with source_lock(tmp_path, SHA, seconds=1):
        lock_path(tmp_path, SHA).unlink()
        with source_lock(tmp_path, SHA, seconds=1) as second:
            assert second.path.exists()


def test_generations_grow_whoever_holds_the_lock(tmp_path: Path) -> None:
    with source_lock(tmp_path, SHA, seconds=1) as held:
        first = held.next_generation()
    with source_lock(tmp_path, SHA, seconds=1) as held:
        assert held.next_generation() > first
