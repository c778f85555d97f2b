"""An event is judged by what is known, never by when it came."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_tasks.collector.judge import Known, judge, request_outcome
from ledger_tasks.collector.outcome import Applied, Recorded, Superseded
from ledger_tasks.storage.evidence import Applied as AppliedRun
from tests.support.events import completed, failed, passed, uuid


def known_run(generation, run="other", complete=True):
    return AppliedRun(1, uuid(run), generation, complete)


def test_a_pass_is_always_applied():
    assert judge(passed("a", "r"), Known(known_run(9), "succeeded", "succeeded")) == Applied()


@pytest.mark.parametrize(("stored", "judgement"), [(None, Applied()), (1, Applied()), (2, None), (3, Superseded())])
@pytest.mark.parametrize("mode", ["normal", "reprocess"])
def test_the_greater_generation_wins_and_a_tie_is_broken_the_same_way_in_every_order(stored, judgement, mode):
    event = completed("a", "r", generation=2, mode=mode, request=None if mode == "normal" else "q")
    if judgement is None:
        judgement = Applied() if event.run_uuid > uuid("other") else Superseded()
    assert judge(event, Known(known_run(stored) if stored else None)) == judgement


@given(st.integers(0, 3), st.integers(0, 3), st.sampled_from("ab"), st.sampled_from("cd"))
def test_of_two_runs_exactly_one_ends_applied_whichever_comes_first(first, second, one, other):
    here, there = completed("s", one, generation=first), completed("s", other, generation=second)

    def stands_after(event, earlier):
        stored = AppliedRun(1, earlier.run_uuid, earlier.payload.run.generation, True)
        return event.run_uuid if judge(event, Known(stored)) == Applied() else earlier.run_uuid

    assert stands_after(here, there) == stands_after(there, here)


@pytest.mark.parametrize("outcome", ["succeeded", "review_required", "superseded"])
def test_a_request_that_is_done_is_done_for_runs_and_failures(outcome):
    assert judge(completed("a", "r", generation=9, mode="reprocess", request="q"), Known(None, outcome)) == Recorded()
    assert judge(failed("a", "r", mode="reprocess", request="q"), Known(None, outcome)) == Recorded()


def test_a_request_that_failed_may_still_succeed():
    assert judge(completed("a", "r", generation=1, mode="cache_only", request="q"), Known(None, "failed")) == Applied()


@pytest.mark.parametrize(
    ("known", "judgement"),
    [
        (Known(), Applied()),
        (Known(status="failed"), Applied()),
        (Known(status="processing"), Applied()),
        (Known(status="succeeded"), Superseded()),
        (Known(status="review_required"), Superseded()),
        (Known(run=known_run(1)), Superseded()),
    ],
)
def test_a_failure_never_overwrites_what_was_read(known, judgement):
    assert judge(failed("a", "r"), known) == judgement


@pytest.mark.parametrize(
    ("mode", "generation", "complete", "outcome"),
    [
        ("normal", 5, True, None),
        ("reprocess", 5, True, "succeeded"),
        ("reprocess", 5, False, "review_required"),
        ("reprocess", 4, True, "succeeded"),
        ("reprocess", 3, True, "superseded"),
        ("cache_only", 4, False, "cache_rebuilt"),
        ("cache_only", 3, False, "superseded"),
    ],
)
def test_a_request_is_told_how_it_ended(mode, generation, complete, outcome):
    known = Known(known_run(4))
    event = completed("a", "r", generation=generation, mode=mode, request=None if mode == "normal" else "q")
    assert request_outcome(event, judge(event, known), known, complete=complete) == outcome
