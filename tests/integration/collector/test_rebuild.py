"""Schema `ingest` is a view of `budget`: what it lacks comes back."""

from datetime import timedelta

from ledger_tasks.storage import schema
from tests.support.desk import NOW
from tests.support.events import CAFE, completed, failed, passed, receipt, source

EVENTS = (
    completed("a", "r1", generation=1),
    completed("a", "r2", generation=2, mode="reprocess", request="q", reference="inbox/moved.pdf"),
    completed("b", "r3", generation=1, said=receipt(reasons=("DATE_AMBIGUOUS",), **CAFE | {"total": "8.00"})),
    failed("c", "r4", code="IMAGE_CORRUPT", attempts=1),
    failed("d", "r5", code="TIMEOUT", attempts=3, terminal=False),
    completed("e", "r6", generation=1, mode="cache_only", request="q"),
    passed("f", "r7"),
)


def collect_one_by_one(desk):
    for minutes, event in enumerate(EVENTS):
        desk.collect(event, at=NOW + timedelta(minutes=minutes))


def test_ingest_is_rebuilt_from_budget_as_it_was(desk):
    collect_one_by_one(desk)
    before = desk.content()
    desk.run("DROP SCHEMA ingest CASCADE")
    assert schema.rebuild_ingest(desk.owner) == schema.Rebuilt(6, 7, 4)
    assert desk.content() == before
    assert schema.rebuild_ingest(desk.owner) == schema.Rebuilt(6, 7, 4), "run twice it is safe"


def test_a_failure_that_was_retried_is_not_rebuilt(desk):
    desk.collect(failed("a", "r1"), failed("b", "r2"))
    desk.run(
        "UPDATE budget.dead_letters SET state = 'replayed', settled_at = now() WHERE source_sha256 = :source",
        source=source("a"),
    )
    schema.rebuild_ingest(desk.owner)
    assert desk.status("a") is None
    assert desk.status("b") == ("failed", "PDF_CORRUPT", [])


def test_an_event_that_comes_again_brings_back_what_ingest_lacks(desk):
    collect_one_by_one(desk)
    before = desk.content()
    desk.run("DELETE FROM ingest.receipts")
    desk.collect(*EVENTS)
    assert desk.content() == before


def test_nothing_in_budget_refers_to_ingest(desk):
    assert (
        desk.rows(
            "SELECT conname FROM pg_constraint JOIN pg_class child ON child.oid = conrelid "
            "JOIN pg_class parent ON parent.oid = confrelid "
            "WHERE child.relnamespace = 'budget'::regnamespace AND parent.relnamespace = 'ingest'::regnamespace"
        )
        == []
    )
