"""Events that wait share one transaction; one that finds nobody waiting is not delayed; trouble meets who causes it."""

import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest

from ledger_tasks.collector.group import GroupCommitter
from ledger_tasks.collector.outage import FIRST_PAUSE, LONGEST_PAUSE, Outage
from ledger_tasks.collector.outcome import Applied
from ledger_tasks.collector.rounds import rounds
from ledger_tasks.collector.text import printable
from ledger_tasks.errors import Infrastructure
from tests.support.events import completed, passed, receipt

EVENTS = [passed("a", "r", number) for number in range(1, 31)]


class Gate:
    """An apply that notes its groups and waits at the first one."""

    def __init__(self, fail=lambda _events: None):
        self.groups, self.began, self.open, self._fail = [], threading.Event(), threading.Event(), fail

    def __call__(self, events):
        self.groups.append([event.pass_id for event in events])
        self.began.set()
        assert self.open.wait(10)
        self._fail(events)
        return [Applied()] * len(events)


def together(gate, limit):
    """Hand in the first event, and all the others while it is being committed."""
    committer = GroupCommitter(gate, limit)
    with ThreadPoolExecutor(len(EVENTS)) as threads:
        first = threads.submit(committer.apply, EVENTS[0])
        assert gate.began.wait(10)
        others = [threads.submit(committer.apply, event) for event in EVENTS[1:]]
        while committer._queue.qsize() < len(others):
            pass
        gate.open.set()
        return [future.exception() or future.result() for future in [first, *others]]


def test_what_waits_goes_together_up_to_the_limit_and_nothing_is_delayed_for_it():
    gate = Gate()
    assert together(gate, 20) == [Applied()] * 30
    assert [len(group) for group in gate.groups] == [1, 20, 9]


def test_a_server_that_is_away_is_told_to_every_event_of_the_group():
    def away(events):
        if len(events) > 1:
            raise Infrastructure("DATABASE_UNAVAILABLE", "away")

    found = together(Gate(away), 100)
    assert found[0] == Applied()
    assert all(isinstance(each, Infrastructure) for each in found[1:])


def test_a_surprise_is_tried_apart_and_meets_only_the_event_that_causes_it():
    def surprise(events):
        if any(event.pass_id == 13 for event in events):
            raise ZeroDivisionError

    found = together(Gate(surprise), 100)
    assert [number for number, each in enumerate(found, start=1) if each != Applied()] == [13]
    assert isinstance(found[12], ZeroDivisionError)


def test_while_the_database_is_away_one_look_serves_all_and_looks_become_rarer():
    clock, looks = [0.0], []
    outage = Outage(lambda: bool(looks.append(clock[0])), clock=lambda: clock[0])
    for tick in range(600):
        clock[0] = tick / 10
        outage.began() if tick == 0 else outage.is_over()
        outage.is_over()
    gaps = [round(later - earlier, 3) for earlier, later in pairwise(looks)]
    assert looks[0] == pytest.approx(FIRST_PAUSE, abs=0.11)
    assert gaps == sorted(gaps)
    assert max(gaps) == pytest.approx(LONGEST_PAUSE, abs=0.11)


def test_rounds_keep_the_order_of_every_key_and_share_none():
    things = ["a", "b", "ab", "c", "a", "bc"]
    assert rounds(things, key=tuple) == [["a", "b", "c"], ["ab"], ["a", "bc"]]
    assert rounds([], key=tuple) == []


def test_only_a_nul_is_replaced_and_every_other_event_stays_the_same_object():
    event = completed("a", "r", generation=1)
    assert printable(event) is event
    said = receipt(merchant="a\x00b", address=r"c\u0000d\\u0000")
    cleaned = printable(completed("a", "r", generation=1, said=said)).payload.receipt
    assert cleaned.merchant.value == "a�b"
    assert cleaned.address.value == r"c\u0000d\\u0000"
