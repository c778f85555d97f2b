"""What pages show of numbers, fields and hours."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from types import SimpleNamespace

import pytest

from contracts.receipts.receipt import SINGLE_FIELDS
from ledger_tasks.storage.page_overview import Hour
from ledger_tasks.tracing import trace_of
from ledger_tasks.web.pages import fields
from ledger_tasks.web.pages.plots import HEIGHT, throughput
from ledger_tasks.web.pages.render import age, money, seconds

NOON = datetime(2026, 8, 14, 12, tzinfo=UTC)
BARE = {"value": None, "raw": None, "confidence": 0.0, "source": None, "page": None, "box": None, "alternatives": []}


@pytest.mark.parametrize(
    ("amount", "currency", "shown"),
    [
        (Decimal("1007.5000"), "EUR", "1\u202f007.50 EUR"),
        ("0.0125", None, "0.0125"),
        (Decimal(-3), "USD", "-3.00 USD"),
        (Decimal("1000.0000"), None, "1\u202f000.00"),
        (None, "EUR", ""),
    ],
)
def test_money_keeps_every_digit_that_counts(amount: Decimal | str | None, currency: str | None, shown: str) -> None:
    assert money(amount, currency) == shown


@pytest.mark.parametrize(
    ("count", "shown"),
    [(0.34, "340 ms"), (1.42, "1.4 s"), (59, "59 s"), (720, "12 min"), (7200, "2 h"), (260_000, "3 d"), (None, "")],
)
def test_durations_are_said_as_people_say_them(count: float | None, shown: str) -> None:
    assert seconds(count) == shown


def test_an_age_is_counted_from_one_moment_to_the_other() -> None:
    assert age(NOON, NOON + timedelta(minutes=5)) == "5 min"
    assert age(None) == ""


def evidence(reasons: list[str], **told: dict) -> SimpleNamespace:
    found = {name: BARE | {"status": "missing"} | told.get(name, {}) for name in SINGLE_FIELDS}
    return SimpleNamespace(fields=found, review_reasons=reasons)


def test_the_doubtful_fields_come_first_and_those_that_count_are_always_there() -> None:
    total = {"value": "1.00", "alternatives": ["1.00", "2.00"], "status": "ambiguous", "box": [1, 2, 11, 22], "page": 2}
    shown = fields.said(evidence(["TOTAL_AMBIGUOUS", "ITEMS_DIFFER"], total=total, tip={"value": "1", "status": "ok"}))
    assert [field.name for field in shown] == ["total", "merchant", "transaction_date", "currency", "tip"]
    assert shown[0].alternatives == ("2.00",), "the value itself is no alternative"
    assert fields.checks(evidence(["TOTAL_AMBIGUOUS", "ITEMS_DIFFER"]), shown) == ["ITEMS_DIFFER"]
    assert fields.boxes(shown, 1) == []
    assert fields.boxes(shown, 2) == [fields.Box("total", True, 1, 2, 10, 20)]
    assert "address" in fields.unasked(shown)
    assert fields.said(None) == []
    assert fields.checks(None, []) == []


def test_a_corrected_field_is_no_longer_doubtful_and_says_what_was_read() -> None:
    read = BARE | {"value": "9.00", "status": "ambiguous"}
    total = {"value": "1.00", "status": "corrected", "read": read}
    field = next(each for each in fields.said(evidence([], total=total)) if each.name == "total")
    assert (field.doubtful, field.read) == (False, "9.00")


def test_the_highest_hour_fills_the_plot_and_an_empty_day_draws_nothing() -> None:
    plot = throughput([Hour(NOON, 3, 1, 0), Hour(NOON + timedelta(hours=1), 1, 0, 1)])
    assert sum(part.height for part in plot.bars[0].parts) == HEIGHT
    assert [part.kind for part in plot.bars[1].parts] == ["done", "failed"]
    assert plot.summary == "In the last 24 hours 4 receipts were booked, 1 went to review, 1 failed."
    assert throughput([Hour(NOON, 0, 0, 0)]).bars[0].parts == ()
    assert throughput([]).top == 0


def test_a_publication_names_its_trace_also_when_a_stranger_chose_its_text() -> None:
    publication = "0b7c1d52-53b0-4f3c-9d59-0d8d4b1c2a11"
    assert trace_of(publication) == "00-0b7c1d5253b04f3c9d590d8d4b1c2a11-0b7c1d5253b04f3c-01"
    assert trace_of("any text") == trace_of("any text") != trace_of("other text")
