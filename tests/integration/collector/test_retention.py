"""Housekeeping takes rows that nobody needs, and never one that something open still names."""

from datetime import timedelta

import pytest
from pydantic import SecretStr

from ledger_tasks.storage import retention
from ledger_tasks.storage.database import connect, transaction
from tests.support.desk import NOW
from tests.support.events import completed, failed, passed, source

LATER = NOW + timedelta(days=91)
BEFORE = LATER - timedelta(days=90)
LEASE = (
    "INSERT INTO ingest.publications (source_sha256, purpose, publication, state, planned_at, ended_at, end_reason) "
    "VALUES (:source, 'normal', gen_random_uuid(), :state, :at, :ended, :reason)"
)


@pytest.fixture
def publisher(desk, database):
    engine = connect(SecretStr(database.url_of("ledger_publisher")))
    yield lambda work, *values: _in(engine, work, *values)
    engine.dispose()


def _in(engine, work, *values):
    with transaction(engine) as connection:
        return work(connection, *values)


def twice(desk, name, at=NOW):
    desk.collect(completed(name, f"{name} old", generation=1), at=at)
    desk.collect(completed(name, f"{name} new", generation=2, mode="reprocess", request=name), at=at)


def lease(desk, name, state="planned", at=NOW):
    ended = {"ended": at, "reason": "expired"} if state == "ended" else {"ended": None, "reason": None}
    desk.run(LEASE, source=source(name), state=state, at=at, **ended)


def test_artifacts_of_replaced_runs_go_when_they_are_old_and_nobody_claims_their_source(desk, publisher):
    for name in ("plain", "leased", "dead"):
        twice(desk, name)
    twice(desk, "young", at=LATER)
    lease(desk, "leased")
    desk.collect(failed("dead", "its failure"))
    everything = {
        source(f"cache {name} {age}") for name in ("plain", "leased", "dead", "young") for age in ("old", "new")
    }
    assert publisher(retention.named_artifacts, everything) == everything
    assert publisher(retention.forget_artifacts, BEFORE) == 1
    assert publisher(retention.named_artifacts, everything) == everything - {source("cache plain old")}


def test_a_claim_is_an_open_lease_or_an_unsettled_dead_letter_and_as_old_as_the_oldest(desk, publisher):
    desk.collect(failed("both", "r1"), passed("ended", "r2"), passed("leased", "r3"))
    lease(desk, "both", at=NOW - timedelta(days=400))
    lease(desk, "leased", at=NOW)
    lease(desk, "ended", state="ended")
    assert publisher(retention.claimed_sources) == {source("both"): NOW - timedelta(days=400), source("leased"): NOW}


def test_leases_that_ended_long_ago_go(desk, publisher):
    desk.collect(passed("old", "r1"), passed("young", "r2"), passed("open", "r3"))
    lease(desk, "old", state="ended", at=NOW)
    lease(desk, "young", state="ended", at=LATER)
    lease(desk, "open", at=NOW)
    assert publisher(retention.forget_leases, BEFORE) == 1
    assert desk.rows("SELECT count(*) FROM ingest.publications") == [(2,)]
