"""A bad event hurts only itself, and a database that is away loses nothing."""

import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from pydantic import SecretStr
from sqlalchemy import text

from ledger_tasks.collector.apply import collect
from ledger_tasks.collector.outcome import Applied, Duplicate, Rejected
from ledger_tasks.errors import Infrastructure
from ledger_tasks.storage.database import connect, transaction
from tests.support.desk import NOW
from tests.support.events import CAFE, completed, failed, passed, receipt, source


def test_an_event_that_breaks_a_rule_is_rejected_and_the_rest_of_its_batch_is_applied(desk):
    unreal = completed("b", "r2", generation=1, said=receipt(**CAFE | {"transaction_date": "2026-02-31"}))
    unsaid = completed("c", "r3", generation=1, said=receipt(**CAFE) | {"extraction_status": "review"})
    outcomes = desk.collect(completed("a", "r1", generation=1), unreal, unsaid, passed("a", "r1"), failed("d", "r4"))
    assert outcomes == [
        Applied(),
        Rejected("DatetimeFieldOverflow"),
        Rejected("CheckViolation ck_receipt_evidence_read_reasons"),
        Applied(),
        Applied(),
    ]
    assert desk.status("a") == ("succeeded", None, [])
    assert desk.status("b") is None, "nothing of a rejected event stays"
    assert desk.rows("SELECT count(*) FROM budget.ocr_result_events") == [(3,)]


def test_eight_collectors_at_once_end_as_one_does(desk, database):
    events = [
        event
        for number in range(12)
        for event in (
            passed(f"f{number}", f"r{number}"),
            completed(f"f{number}", f"r{number}", generation=1, said=receipt(**CAFE | {"total": f"{number % 9}.00"})),
            completed(f"f{number}", f"s{number}", generation=2, mode="reprocess", request=f"q{number}"),
            failed(f"f{number}", f"t{number}"),
        )
    ]

    def one_collector(seed):
        engine = connect(SecretStr(database.url_of("ledger_collector")))
        mine = events * 1
        random.Random(seed).shuffle(mine)
        outcomes = []
        while mine:
            batch, mine = mine[:7], mine[7:]
            try:
                outcomes += collect(batch, engine, NOW)
            except Infrastructure:
                mine = batch + mine
        engine.dispose()
        return outcomes

    with ThreadPoolExecutor(8) as threads:
        found = [outcome for outcomes in threads.map(one_collector, range(8)) for outcome in outcomes]
    assert not [outcome for outcome in found if isinstance(outcome, Rejected)]
    assert sum(not isinstance(outcome, Duplicate) for outcome in found) == len(events), "each took effect once"
    assert desk.rows("SELECT count(*), min(generation), max(generation) FROM budget.receipt_evidence") == [(12, 2, 2)]
    assert desk.rows(
        "SELECT count(*) FROM budget.receipt_evidence e JOIN budget.receipt_ocr_runs r USING (run_uuid) WHERE applied"
    ) == [(12,)]
    owners = desk.rows("SELECT count(*) FROM budget.expenses WHERE merchant_key = 'cafézoë' AND total = 1007.5")
    assert owners == [(1,)], "twelve receipts alike: one is booked, the others wait for a person"


@pytest.mark.trap(32)
def test_a_lock_that_is_not_free_in_time_is_infrastructure_and_nothing_is_written(desk, monkeypatch):
    monkeypatch.setattr("db.engine.lock_sources.__kwdefaults__", {"timeout_milliseconds": 200})
    with desk.owner.begin() as other:
        other.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:s, 0))"), {"s": source("a")})
        with pytest.raises(Infrastructure, match="a lock was not free in time"):
            desk.collect(completed("a", "r1", generation=1))
    assert desk.collect(completed("a", "r1", generation=1)) == [Applied()]


def test_a_server_that_is_not_there_or_refuses_us_is_infrastructure(desk, database):
    for url in (
        "postgresql://ledger@127.0.0.1:1/ledger",
        database.url.replace("//ledger:", "//nobody:"),
        database.url.replace(database.name, "no_such_database"),
    ):
        with pytest.raises(Infrastructure):
            collect([completed("a", "r1", generation=1)], connect(SecretStr(url)), NOW)


def test_a_bug_is_no_infrastructure_and_rises(desk):
    with pytest.raises(Exception, match="division by zero"), transaction(desk.owner) as connection:
        connection.execute(text("SELECT 1/0"))
