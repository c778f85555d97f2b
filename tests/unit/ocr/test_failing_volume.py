"""A volume that fails is never the receipt's fault: every call to it is made to fail, one after another."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ledger_tasks.errors import Infrastructure, Transient
from ledger_tasks.files.attempts import mark_stopping
from ledger_tasks.messaging.delivery import Delivery
from ledger_tasks.messaging.outcome import Done, Hold
from ledger_tasks.ocr.open_starts import OpenStarts
from ledger_tasks.ocr.process import process
from tests.support.failing_calls import FOR_EVER, Calls, failing
from tests.support.receipt_room import SHA, Room, reading, v1, v2

ERRNOS = ("EACCES", "EDQUOT", "EIO", "ENOSPC", "ENOTCONN", "EROFS", "ESTALE", "ETIMEDOUT")


@pytest.fixture(params=ERRNOS)
def number(request) -> int:
    return getattr(errno, request.param)


@pytest.fixture(autouse=True)
def _quick(monkeypatch) -> None:
    """Waiting for the disk would take most of the time, and what lasts over a power loss is not the question here."""
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def interrupted(room: Room, work: Callable[..., Delivery]) -> None:
    """Leave three starts behind that a shutdown interrupted: whoever forgets that takes the receipt for a killer."""

    def shutdown():
        raise KeyboardInterrupt

    room.reads = shutdown
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            process(work(count=1), room.desk)
        _, start = room.open[-2]
        mark_stopping(room.cache, SHA, start)
    room.reads = reading


@pytest.mark.case("C008")
@pytest.mark.parametrize(
    ("name", "work", "when"),
    [
        *((name, v1, "from then on") for name in ERRNOS),
        *(("EACCES", v1, "once"), ("ESTALE", v1, "once"), ("ESTALE", v2, "once"), ("ESTALE", v2, "from then on")),
    ],
)
def test_whichever_call_fails_the_work_is_held_and_uses_no_attempt(tmp_path, name, work, when) -> None:
    before, number = descriptors(), getattr(errno, name)
    calls, rehearsal = Calls(), Room(tmp_path / "rehearsal")
    interrupted(rehearsal, work)
    with failing(calls):
        assert isinstance(process(work(), rehearsal.desk), Done)
    for first in range(calls.count):
        room = Room(tmp_path / f"{first}")
        interrupted(room, work)
        with failing(Calls(first, 1 if when == "once" else FOR_EVER, number)):
            outcome = process(work(), room.desk)
        assert isinstance(outcome, Hold | Done), first
        assert isinstance(room.deliver(work()), Done), first
        assert room.ends()[:3] == ["open"] * 3, "a shutdown interrupted them"
        assert set(room.ends()[3:]) <= {"released", "ok"}, first
    assert descriptors() == before, "a lock whose descriptor is lost lasts as long as its process"


def test_a_volume_that_goes_away_under_ocr_again_and_again_uses_no_attempt(tmp_path, number) -> None:
    room = Room(tmp_path)
    for _ in range(5):
        calls = Calls()

        def go_away(calls=calls):
            calls.fail_from_now_on(number)
            return reading()

        room.reads = go_away
        with failing(calls):
            assert isinstance(room.deliver(v1()), Hold)
    room.reads = reading
    assert isinstance(room.deliver(v1()), Done)
    assert room.ends() == ["released"] * 5 + ["ok"]


def test_a_failure_that_the_volume_could_not_take_down_keeps_its_code(tmp_path, number) -> None:
    room = Room(tmp_path)
    for _ in range(3):
        calls = Calls()

        def time_out(calls=calls):
            calls.fail_from_now_on(number)
            raise Transient("TIMEOUT", "300 s")

        room.reads = time_out
        with failing(calls):
            assert isinstance(room.deliver(v1()), Hold)
    outcome = room.deliver(v1())
    assert (outcome.reason.code, room.runs) == ("TIMEOUT", 3)


def test_a_start_that_the_main_process_cannot_be_told_of_is_trouble_of_the_worker(tmp_path) -> None:
    told = OpenStarts()
    told.remove()
    with pytest.raises(Infrastructure, match="SCRATCH_UNAVAILABLE"):
        told.tell(SHA, "start-1")
