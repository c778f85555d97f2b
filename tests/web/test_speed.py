"""With 5000 receipts every page asks few and cheap questions, so that it answers well within 300 ms of server time."""

import json
import time

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event

from ledger_tasks.settings import ServeSettings, load
from ledger_tasks.web.app import create_app
from tests.web.conftest import RECEIPTS

QUERIES = 20
"""Statements of one page: the page of one receipt reads a dozen tables."""

COST = 12_000
"""Planner's units of one statement: a scan of all 5000 receipts and their texts is about a quarter of it."""

SECONDS = 1.5
"""Five times the 300 ms that a page may take, because a machine that tests is busy."""


@pytest.fixture
def client(site, monkeypatch):
    for name, value in site.environment.items():
        monkeypatch.setenv(name, value)
    made = TestClient(create_app(load(ServeSettings), ended=lambda: None))
    form = made.get("/login").text.split('name="csrf" value="')[1].split('"')[0]
    made.post("/login", data={"csrf": form, "token": site.operator, "target": "/batches"})
    return made


@pytest.fixture
def known(site) -> dict[str, object]:
    """What stands in braces in the addresses below."""
    stands = "SELECT source_sha256 FROM ingest.receipt_processing_status WHERE status = :status ORDER BY 1 LIMIT 1"
    states = {"review": "review_required", "done": "succeeded", "dead": "failed"}
    found = {name: site.one(stands, status=status) for name, status in states.items()}
    return found | {"letter": site.one("SELECT id::text FROM budget.dead_letters WHERE state = 'open' LIMIT 1")}


PAGES = (
    "/",
    "/overview/numbers",
    "/receipts",
    "/receipts?page=90",
    "/receipts?state=review",
    "/receipts?state=done&page=40",
    "/receipts?q=visit+number+4711",
    "/receipts?q=2026-03",
    "/receipts/{review}",
    "/receipts/{done}",
    "/receipts/{dead}",
    "/duplicates",
    "/dead",
    "/dead?code=TIMEOUT&page=2",
    "/dead/{letter}",
    "/dead/preview?action=replay&code=TIMEOUT",
    "/recognition",
)


@pytest.mark.parametrize("path", PAGES)
def test_a_page_over_5000_receipts_asks_few_and_cheap_questions(client, site, known, path) -> None:
    assert site.one("SELECT count(*) FROM ingest.receipts") >= RECEIPTS
    asked = []
    engine = client.app.state.exchange.engine
    client.get(path.format(**known))

    @event.listens_for(engine, "before_cursor_execute")
    def note(_connection, _cursor, statement, parameters, _context, _many) -> None:
        asked.append((statement, parameters))

    begun = time.perf_counter()
    answer = client.get(path.format(**known))
    taken = time.perf_counter() - begun
    event.remove(engine, "before_cursor_execute", note)

    print(f"{path}: {len(asked)} statements, {taken * 1000:.0f} ms")
    assert answer.status_code == 200
    assert 0 < len(asked) <= QUERIES
    assert taken < SECONDS
    with engine.connect() as connection:
        cursor = connection.connection.cursor()
        for statement, parameters in asked:
            cursor.execute(f"EXPLAIN (FORMAT JSON) {statement}", parameters)
            (plan,) = cursor.fetchone()
            cost = (plan if isinstance(plan, list) else json.loads(plan))[0]["Plan"]["Total Cost"]
            assert cost < COST, f"{cost:.0f}: {statement}"


@pytest.mark.case("C052")
def test_a_search_finds_text_that_was_never_extracted_to_a_field(client) -> None:
    found = client.get("/receipts?q=visit+number+4711").text
    assert "receipt_4711.jpg" in found
    assert "1 receipt<" in found


def test_what_people_type_into_the_search_is_never_a_pattern_or_sql(client) -> None:
    for words in ("%", "_", "' OR 1=1 --", "\\", "a" * 200, "ö%ö"):
        answer = client.get("/receipts", params={"q": words})
        assert answer.status_code == 200, words
    assert "0 receipts" in client.get("/receipts", params={"q": "%_%"}).text


def test_every_seeded_state_is_named_in_the_list(client, site) -> None:
    waiting = site.one("SELECT count(*) FROM ingest.receipt_processing_status WHERE status = 'review_required'")
    assert waiting > 100, "people of other tests have settled a few of the 200"
    for state, count in (("review", waiting), ("dead", 125), ("queued", 100)):
        page = client.get(f"/receipts?state={state}").text
        assert f"{count} receipts" in page, state
    assert site.one("SELECT count(*) FROM budget.dead_letters") >= 125
