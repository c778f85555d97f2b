"""Failure recovery: Before the collector database commit.

Transaction rollback prevents partial evidence or completion.
"""

import pytest
from sqlalchemy import event, text

from tests.support.amqp import wait_until
from tests.support.desk import COUNT
from tests.support.events import CAFE, completed, failed, passed, receipt, source

EVENTS = (
    passed("a", "r1"),
    completed("a", "r1", generation=1, said=receipt(items=[{"description": "Latte", "total": "3.00"}], **CAFE)),
    failed("b", "r2"),
    completed("c", "r3", generation=1, mode="cache_only", request="q"),
)
WAITING = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'ledger_collector' AND wait_event_type = 'Lock'"
OF_C = """
    SELECT (SELECT count(*) FROM budget.receipt_ocr_runs WHERE source_sha256 = :s),
        (SELECT count(*) FROM budget.receipt_cache_requests WHERE source_sha256 = :s),
        (SELECT count(*) FROM budget.ocr_result_events WHERE source_sha256 = :s)
"""


class Died(Exception):
    """Stands for the end of the process: nothing after it is executed, the connection is gone."""


def dies_at(engine, number):
    left = [number]

    def count(*_):
        left[0] -= 1
        if left[0] == 0:
            raise Died

    event.listen(engine, "before_cursor_execute", count)
    return count


@pytest.mark.case("C036")
def test_a_death_at_any_statement_leaves_nothing_and_the_repetition_everything(desk):
    empty = desk.content()
    desk.collect(*EVENTS)
    clean = desk.content()
    deaths = 0
    while True:
        desk.clear()
        listener = dies_at(desk.engine, deaths + 1)
        try:
            desk.collect(*EVENTS)
            break
        except Died:
            deaths += 1
        finally:
            event.remove(desk.engine, "before_cursor_execute", listener)
        assert desk.content() == empty, f"partial rows after statement {deaths}"
        desk.collect(*EVENTS)
        assert desk.content() == clean, f"other rows after a death at statement {deaths}"
    assert deaths > 15, "every statement of the transaction was tried"


def test_a_collector_killed_inside_its_transaction_leaves_nothing_and_its_successor_applies_all(
    desk, broker, database, results, run_role
):
    environment = broker.environment | database.environment_of("ledger_collector")
    first = run_role("collector", environment=environment)
    with desk.owner.begin() as other:
        other.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:s, 0))"), {"s": source("c")})
        results.send(*EVENTS)
        wait_until(lambda: desk.rows(WAITING) != [(0,)], "the collector to wait inside its transaction")
        first.kill()
    assert desk.rows(OF_C, s=source("c")) == [(0, 0, 0)]
    run_role("collector", environment=environment)
    wait_until(lambda: desk.rows(COUNT) == [(len(EVENTS),)], "every event")
    assert desk.status("a") == ("succeeded", None, [])
    assert results.ready("ocr.results.v1.dead") == 0
