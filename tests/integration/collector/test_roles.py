"""Each database role may do its part and is refused the parts of the others."""

import psycopg
import pytest

from ledger_tasks.storage import schema
from tests.support.events import completed, failed, passed

PUBLICATION = """
INSERT INTO ingest.receipts (source_sha256, source_reference) VALUES (repeat('a', 64), 'a.pdf');
INSERT INTO ingest.receipt_paths (source_sha256, source_reference) VALUES (repeat('a', 64), 'a.pdf');
INSERT INTO ingest.publications (source_sha256, purpose, publication, state, planned_at)
    VALUES (repeat('a', 64), 'normal', gen_random_uuid(), 'planned', now());
UPDATE ingest.publications SET state = 'confirmed', confirmed_at = now();
INSERT INTO ingest.source_index (kind, path, device, inode, size_bytes, mtime_ns, ctime_ns, sha256)
    VALUES ('source', 'a.pdf', 1, 1, 1, 1, 1, repeat('a', 64));
DELETE FROM ingest.source_index;
SELECT * FROM ingest.receipt_processing_status; SELECT * FROM budget.dead_letters;
SELECT * FROM budget.receipt_reprocess_requests; SELECT * FROM budget.receipt_cache_requests;
"""

FORBIDDEN = {
    "ledger_publisher": [
        "INSERT INTO budget.receipt_evidence DEFAULT VALUES",
        "UPDATE budget.expenses SET total = 0",
        "SELECT * FROM budget.expenses",
        "DELETE FROM budget.dead_letters",
        "DELETE FROM ingest.receipt_processing_status",
        "SELECT * FROM budget.receipt_ocr_passes",
    ],
    "ledger_collector": [
        "INSERT INTO ingest.publications (source_sha256) VALUES ('')",
        "DELETE FROM ingest.publications",
        "SELECT * FROM ingest.source_index",
        "DELETE FROM budget.receipt_evidence",
        "DELETE FROM budget.expenses",
        "DELETE FROM budget.ocr_result_events",
        "UPDATE budget.ocr_result_events SET outcome = 'applied'",
        "UPDATE budget.receipt_ocr_runs SET generation = 0",
        "INSERT INTO budget.receipt_corrections (source_sha256) VALUES ('')",
        "CREATE TABLE budget.mine ()",
        "INSERT INTO ingest.changed_receipts VALUES ('')",
        "INSERT INTO ingest.booking_counts VALUES (true, 1)",
    ],
    "ledger_core": [
        "DELETE FROM budget.receipt_evidence",
        "DELETE FROM budget.expenses",
        "INSERT INTO budget.receipt_ocr_runs DEFAULT VALUES",
        "UPDATE budget.ocr_result_events SET outcome = 'applied'",
        "UPDATE ingest.receipts SET source_reference = ''",
        "INSERT INTO ingest.publications (source_sha256) VALUES ('')",
        "UPDATE budget.alembic_version SET version_num = ''",
        "UPDATE ingest.receipt_counts SET receipts = 0",
        "INSERT INTO ingest.booking_counts VALUES (true, 1)",
    ],
}


def test_the_publisher_can_publish(desk, database):
    with psycopg.connect(database.url_of("ledger_publisher")) as connection:
        connection.execute(PUBLICATION)


def test_the_collector_can_collect_what_there_is(desk):
    desk.collect(
        completed("a", "r1", generation=1),
        passed("a", "r1"),
        completed("a", "r2", generation=2, mode="reprocess", request="q"),
        completed("a", "r3", generation=2, mode="cache_only", request="q"),
        failed("b", "r4"),
    )
    desk.run("DELETE FROM ingest.receipts")
    desk.collect(completed("a", "r1", generation=1), failed("b", "r4"))
    assert desk.status("a")[0] == "succeeded"


@pytest.mark.parametrize("role", FORBIDDEN)
def test_a_role_is_refused_what_is_not_its_part(database, role):
    with psycopg.connect(database.url_of(role), autocommit=True) as connection:
        for statement in FORBIDDEN[role]:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement)


def test_upgrading_again_changes_no_grant(desk):
    grants = "SELECT attrelid::regclass::text, attname, attacl::text, relacl::text FROM pg_attribute "
    grants += "JOIN pg_class ON pg_class.oid = attrelid WHERE relacl IS NOT NULL ORDER BY 1, 2"
    before = desk.rows(grants)
    schema.upgrade(desk.owner)
    assert desk.rows(grants) == before
