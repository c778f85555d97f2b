"""The rules of a job hold for any sequence of events, and each decision says its reason."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger_tasks.recognition import job as rules
from ledger_tasks.recognition.job import Answer, Attempt, Ended, Ignored, Inbox, Job, Started

NOW = datetime(2026, 3, 31, 12, tzinfo=UTC)
STATUSES = ["queued", "published", "processing", "done", "needs_check", "error", "timeout", "dlq"]
FINAL = STATUSES[3:]


def answer(status, message_id="m", digest="d", code=None):
    return Answer("j", status, "s", "1", None, None, None, {}, code, None, message_id, digest)


answers = st.builds(
    answer,
    st.sampled_from(["processing", "done", "needs_check", "error"]),
    st.sampled_from(["a", "b"]),
    st.sampled_from(["1", "2"]),
)


@given(st.sampled_from(STATUSES), st.lists(answers, max_size=8))
def test_what_is_final_stays_and_nothing_goes_back(status, sequence):
    order = {"queued": 0, "published": 1, "processing": 2} | dict.fromkeys(FINAL, 3)
    job = Job("j", "f", status)
    for each in sequence:
        decision = rules.receive(job, each)
        if isinstance(decision, Ignored):
            assert decision.reason
            continue
        assert job.status not in FINAL
        following = rules.after(job, decision)
        assert order[following.status] > order[job.status]
        assert (rules.file_status(decision) == "ERROR") == (following.status == "error")
        job = following


@pytest.mark.parametrize("status", STATUSES)
def test_only_a_published_job_can_be_acknowledged(status):
    job = Job("j", "f", status)
    decision = rules.receive(job, answer("processing"))
    assert isinstance(decision, Started) == (status == "published")
    if isinstance(decision, Started):
        assert rules.after(job, decision).status == "processing"


@pytest.mark.parametrize("status", STATUSES)
def test_a_result_is_taken_in_every_state_that_is_not_final(status):
    decision = rules.receive(Job("j", "f", status), answer("done"))
    assert isinstance(decision, Ended) == (status not in FINAL)


def test_an_error_without_its_reason_gets_a_code():
    assert rules.receive(Job("j", "f", "processing"), answer("error")).error_code == "UNSPECIFIED"


def test_the_services_key_of_our_name_is_dropped():
    assert rules.without_our_key({"republish_count": 9, "rows": 1}) == {"rows": 1}


def inbox(through=0, alive=0, since=None):
    moved = [NOW - timedelta(seconds=seconds) if seconds is not None else None for seconds in (alive, through, since)]
    return Inbox(*moved)


def test_the_slowest_inbox_decides_which_deadlines_have_passed():
    assert rules.answers_applied_through(NOW, [inbox(1), inbox(5)]) == NOW - timedelta(seconds=5)
    assert rules.answers_applied_through(NOW, []) == NOW


@pytest.mark.parametrize(
    ("inboxes", "allowed"),
    [
        ([], True),
        ([inbox(since=100)], True),
        ([inbox(since=30)], False),
        ([inbox(since=None)], False),
        ([inbox(since=30), inbox(since=100)], True),
        ([inbox(since=100), inbox(through=20, since=100)], False),
    ],
)
def test_a_job_is_given_up_only_when_its_acknowledgement_would_have_been_heard(inboxes, allowed):
    published = NOW - timedelta(seconds=40)
    span = rules.unanswered_between(timedelta(seconds=30), NOW, inboxes)
    assert bool(span and span[0] <= published <= span[1]) is allowed


@pytest.mark.parametrize(("observing", "counted"), [(1000, False), (100, True)])
def test_silence_counts_only_while_we_were_there_to_hear_it(observing, counted):
    gone = inbox(alive=500)
    found = rules.present([gone], NOW, timedelta(seconds=120), NOW - timedelta(seconds=observing))
    assert bool(found) is counted


@pytest.mark.parametrize(
    ("attempt", "refusal"),
    [
        (None, "NOT_FAILED"),
        (Attempt("j", "queued", 1, 3, "UPLOADED", mapping_failed=False), "IN_PROGRESS"),
        (Attempt("j", "published", 1, 3, "UPLOADED", mapping_failed=False), "IN_PROGRESS"),
        (Attempt("j", "processing", 1, 3, "PROCESSING", mapping_failed=False), "IN_PROGRESS"),
        (Attempt("j", "done", 1, 3, "PROCESSED", mapping_failed=False), "NOT_FAILED"),
        (Attempt("j", "done", 1, 3, "PROCESSING", mapping_failed=False), "NOT_FAILED"),
        (Attempt("j", "needs_check", 1, 3, "ERROR", mapping_failed=True), None),
        (Attempt("j", "timeout", 2, 3, "ERROR", mapping_failed=False), None),
        (Attempt("j", "dlq", 3, 3, "ERROR", mapping_failed=False), "MAX_ATTEMPTS"),
    ],
)
def test_a_retry_is_refused_with_its_reason(attempt, refusal):
    assert rules.refuse_retry(attempt) == refusal


def test_what_we_end_ourselves_brings_no_result_with_it():
    job = Job("j", "f", "published", "m", "d")
    assert rules.after(job, Ended("timeout", "TIMEOUT")) == Job("j", "f", "timeout", "m", "d")
