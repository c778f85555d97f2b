from dataclasses import replace
from datetime import UTC, datetime
from itertools import product

import pytest

from contracts.identity import missing_cache_request
from contracts.receipts.codes import FailureCode
from ledger_tasks.discovery.plan import Known, Leave, Process, Repair, message, plan

DONE = datetime(2026, 8, 14, 16, 0, 0, 123456, tzinfo=UTC)
SHA = "a" * 64
REFERENCE = "2026-08-14/receipts_20260814_0001.pdf"

EVERYTHING = [
    Known(
        leased=leased,
        failed=failed,
        attempts=attempts,
        terminal=terminal,
        failure=code if failed else "",
        dead=dead,
        seen_again=seen_again,
        completed_at=None if failed else completed,
        cached=cached,
    )
    for leased, failed, attempts, terminal, code, dead, seen_again, completed, cached in product(
        (False, True),
        (False, True),
        (0, 2, 3),
        (False, True),
        ("TIMEOUT", "SOURCE_MISSING", "HASH_MISMATCH"),
        (frozenset(), frozenset({"PDF_CORRUPT"}), frozenset({"SOURCE_MISSING"})),
        (False, True),
        (None, DONE),
        (False, True),
    )
]


@pytest.mark.parametrize(
    ("known", "action"),
    [
        (Known(), Process()),
        (Known(failed=True, attempts=2, failure="TIMEOUT"), Process()),
        (Known(failed=True, attempts=3, failure="TIMEOUT"), Leave("exhausted")),
        (Known(failed=True, attempts=1, terminal=True, failure="PDF_ENCRYPTED"), Leave("exhausted")),
        (Known(failed=True, attempts=1, terminal=True, failure="SOURCE_MISSING"), Leave("exhausted")),
        (Known(failed=True, attempts=1, terminal=True, failure="SOURCE_MISSING", seen_again=True), Process()),
        (Known(dead=frozenset({"HASH_MISMATCH"})), Leave("exhausted")),
        (Known(dead=frozenset({"HASH_MISMATCH"}), seen_again=True), Process()),
        (Known(dead=frozenset({"HASH_MISMATCH", "TIMEOUT"}), seen_again=True), Leave("exhausted")),
        (Known(completed_at=DONE, cached=True), Leave("skipped")),
        (Known(completed_at=DONE), Repair(DONE)),
        (Known(completed_at=DONE, attempts=9), Repair(DONE)),
        (Known(completed_at=DONE, dead=frozenset({"TIMEOUT"})), Leave("exhausted")),
        (Known(completed_at=DONE, leased=True), Leave("already_queued")),
        (Known(failed=True, terminal=True, failure="TIMEOUT", leased=True), Leave("already_queued")),
    ],
)
def test_the_first_matching_row_of_the_table_wins(known, action):
    assert plan(known, 3) == action


def written_table(known):
    """The table once more, read from the bottom: each later row is overruled by each earlier one."""
    action = Process()
    if known.completed_at:
        action = Leave("skipped") if known.cached else Repair(known.completed_at)
    gave_up = known.failed and (known.terminal or known.attempts >= 3)
    for code in (known.failure,) * gave_up + tuple(known.dead):
        if not (code in {"SOURCE_MISSING", "HASH_MISMATCH"} and known.seen_again):
            action = Leave("exhausted")
    if known.leased:
        action = Leave("already_queued")
    return action


def test_every_state_has_exactly_the_action_of_the_written_table():
    assert len(EVERYTHING) > 1000
    for known in EVERYTHING:
        assert plan(known, 3) == written_table(known), known


@pytest.mark.parametrize("code", FailureCode)
def test_only_failures_of_a_path_are_cured_by_seeing_the_content_again(code):
    failed = Known(failed=True, terminal=True, failure=code, seen_again=True)
    cured = code in {"SOURCE_MISSING", "HASH_MISMATCH"}
    assert plan(failed, 3) == (Process() if cured else Leave("exhausted"))
    assert plan(replace(failed, seen_again=False), 3) == Leave("exhausted")


def test_the_same_loss_of_a_cache_is_always_the_same_request_and_the_next_loss_another():
    first = message(Repair(DONE), SHA, REFERENCE)
    assert (
        first.request_id
        == missing_cache_request(SHA, REFERENCE, DONE)
        == message(Repair(DONE), SHA, REFERENCE).request_id
    )
    assert (first.version, first.attempt) == (2, 1)
    assert message(Repair(DONE.replace(year=2027)), SHA, REFERENCE).request_id != first.request_id


def test_new_receipts_are_version_1():
    made = message(Process(), SHA, REFERENCE)
    assert (made.version, made.attempt, made.message_id) == (1, 1, f"receipt.v1:{SHA}")
