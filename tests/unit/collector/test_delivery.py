"""What becomes of a result message: acknowledged, held, tried again or dead, and never lost."""

import pytest

from contracts.receipts.results import encode_result
from ledger_tasks.collector.delivery import after_a_bug, collect_delivery
from ledger_tasks.collector.outage import Outage
from ledger_tasks.collector.outcome import Applied, Duplicate, Recorded, Rejected, Superseded
from ledger_tasks.errors import Infrastructure
from ledger_tasks.messaging.delivery import Delivery
from ledger_tasks.messaging.message import RESULT_ATTEMPT
from ledger_tasks.messaging.outcome import Again, Dead, Done, Hold
from tests.support.events import passed

OUTAGE = Outage(lambda: True)


def delivery(body=None, *, count=0, **headers):
    body = encode_result(passed("a", "r")) if body is None else body
    return Delivery(body, "id", None, "application/json", headers, count, redelivered=False)


@pytest.mark.parametrize("effect", [Applied(), Superseded(), Recorded(), Duplicate(differs=True)])
def test_what_is_committed_is_done_whatever_it_changed(effect):
    assert collect_delivery(delivery(), lambda _: effect, OUTAGE) == Done()


@pytest.mark.parametrize(
    ("body", "code"),
    [(b"", "CONTRACT_INVALID"), (b"\xff", "CONTRACT_INVALID"), (b'{"schema_version": 2}', "VERSION_UNKNOWN")],
)
def test_a_body_that_breaks_the_contract_is_dead_without_asking_the_database(body, code):
    found = collect_delivery(delivery(body), lambda _: pytest.fail("applied"), OUTAGE)
    assert isinstance(found, Dead)
    assert (found.reason.code, found.events) == (code, ())


def test_an_event_that_breaks_a_rule_is_dead_with_its_rule():
    found = collect_delivery(delivery(), lambda _: Rejected("CheckViolation ck_x"), OUTAGE)
    assert isinstance(found, Dead)
    assert found.reason.detail == "CheckViolation ck_x"


def test_an_event_that_was_delivered_too_often_is_settled_before_the_broker_does():
    found = collect_delivery(delivery(count=18), lambda _: pytest.fail("applied"), OUTAGE)
    assert isinstance(found, Dead)
    assert found.reason.code == "DELIVERIES_EXHAUSTED"


def test_a_database_that_is_away_holds_the_event_and_keeps_its_headers():
    def away(_event):
        raise Infrastructure("DATABASE_UNAVAILABLE", "away")

    found = collect_delivery(delivery(**{RESULT_ATTEMPT: 2}), away, OUTAGE)
    assert isinstance(found, Hold)
    assert found.headers == {RESULT_ATTEMPT: 2}


def test_a_bug_is_tried_three_times_and_then_dead():
    first = after_a_bug(delivery())
    assert isinstance(first, Again)
    second = after_a_bug(delivery(**first.headers))
    assert isinstance(second, Again)
    third = after_a_bug(delivery(**second.headers))
    assert isinstance(third, Dead)
    assert third.reason.code == "INTERNAL_ERROR"
