"""Who decides what: Text found but fields missing, ambiguous or not adding up.

Not a failure: results with `review_required`.
"""

from tests.support.amqp import wait_until
from tests.support.deliveries import put, starts, submit

UNSURE = {"torn-off.jpg": "TOTAL_UNCONFIRMED", "ambiguous-date.png": "DATE_AMBIGUOUS"}


def test_what_a_receipt_does_not_say_clearly_waits_for_a_person_and_is_no_dead_letter(
    broker, volumes, desk, database, run_role, client
) -> None:
    run_role("ocr", environment=broker.environment | volumes.environment)
    run_role("collector", environment=broker.environment | database.environment_of("ledger_collector"))
    works = {submit(client, put(volumes, name)).source_sha256: reason for name, reason in UNSURE.items()}
    found = "SELECT source_sha256, review_reasons FROM budget.receipt_evidence JOIN ingest.receipt_processing_status"
    found += " USING (source_sha256) WHERE status = 'review_required'"
    wait_until(lambda: len(desk.rows(found)) == len(UNSURE), "both to wait for review")
    assert dict(desk.rows(found)) == {sha256: [reason] for sha256, reason in works.items()}
    assert len(starts(volumes)) == len(UNSURE)
    assert client.ready("receipts.v1.dead") == client.ready("receipts.v1.retry") == 0
