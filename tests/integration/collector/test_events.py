"""What each event does to the rows, once."""

import pytest

from ledger_tasks.collector.outcome import Applied, Duplicate, Recorded, Superseded
from tests.support.events import CAFE, completed, failed, passed, receipt, sent_again, source, uuid

LATTE = {"description": "Latte", "quantity": "2", "unit_price": "3.00", "total": "6.00", "code": None}


def test_a_completed_run_becomes_evidence_status_expense_run_and_artifact(desk):
    said = receipt(items=[LATTE, LATTE | {"description": "Voided", "void": True}], **CAFE)
    assert desk.collect(completed("a", "r1", generation=7, said=said)) == [Applied()]
    assert desk.status("a") == ("succeeded", None, [])
    assert desk.rows("SELECT merchant, date::text, currency, total::text FROM budget.expenses") == [
        ("Café Zoë", "2026-08-14", "EUR", "1007.5000")
    ]
    assert desk.rows("SELECT position, description, quantity::text FROM budget.expense_items") == [
        (1, "Latte", "2.000000")
    ]
    assert desk.rows("SELECT run_uuid::text, generation, applied FROM budget.receipt_ocr_runs") == [
        (uuid("r1"), 7, True)
    ]
    assert desk.rows("SELECT uri FROM budget.receipt_ocr_artifacts") == [(f"artifact:/{source('cache r1')}.json",)]
    assert desk.rows("SELECT fields->'total'->>'raw', raw_text FROM budget.receipt_evidence") == [
        ("1007.50", "Café Zoë\n2026-08-14\nEUR\n1007.50")
    ]


def test_what_the_reader_is_not_sure_of_goes_to_review_and_is_not_booked(desk):
    desk.collect(completed("a", "r1", generation=1, said=receipt(reasons=("DATE_AMBIGUOUS",), **CAFE)))
    assert desk.status("a") == ("review_required", None, ["DATE_AMBIGUOUS"])
    assert desk.rows("SELECT count(*) FROM budget.expenses") == [(0,)]


def test_a_complete_receipt_without_a_total_cannot_be_booked_and_says_so(desk):
    known = {name: value for name, value in CAFE.items() if name != "total"}
    desk.collect(completed("a", "r1", generation=1, said=receipt(**known)))
    assert desk.status("a") == ("review_required", None, ["TOTAL_MISSING"])


def test_a_pass_may_come_before_its_run(desk):
    assert desk.collect(passed("a", "r1", 2)) == [Applied()]
    assert desk.status("a") is None
    desk.collect(completed("a", "r1", generation=1))
    assert desk.rows(
        "SELECT pass_id, selected FROM budget.receipt_ocr_passes JOIN budget.receipt_ocr_runs USING (run_uuid)"
    ) == [(2, False)]


def test_an_event_that_comes_again_changes_nothing_and_a_different_content_is_told(desk):
    event = completed("a", "r1", generation=1)
    desk.collect(event, passed("a", "r1"))
    before = desk.content()
    other = completed("a", "r1", generation=1, said=receipt(**CAFE | {"total": "9.99"}))
    assert desk.collect(sent_again(event), passed("a", "r1"), other) == [
        Duplicate(differs=False),
        Duplicate(differs=False),
        Duplicate(differs=True),
    ]
    assert desk.content() == before


def test_a_greater_generation_replaces_the_reading_and_a_smaller_one_is_only_kept(desk):
    newer = completed("a", "r3", generation=3, mode="reprocess", request="q3", said=receipt(**CAFE | {"total": "3.00"}))
    older = completed("a", "r2", generation=2, mode="reprocess", request="q2", said=receipt(**CAFE | {"total": "2.00"}))
    assert desk.collect(completed("a", "r1", generation=1)) == [Applied()]
    assert desk.collect(newer) == [Applied()]
    assert desk.collect(older) == [Superseded()]
    assert desk.rows("SELECT total::text, generation FROM budget.receipt_evidence") == [("3.0000", 3)]
    assert desk.rows("SELECT total::text FROM budget.expenses") == [("3.0000",)]
    assert desk.rows("SELECT request_id::text, outcome FROM budget.receipt_reprocess_requests ORDER BY outcome") == [
        (uuid("q3"), "succeeded"),
        (uuid("q2"), "superseded"),
    ]
    assert desk.rows("SELECT generation, applied FROM budget.receipt_ocr_runs ORDER BY 1") == [
        (1, False),
        (2, False),
        (3, True),
    ]


def test_a_completed_request_is_not_applied_a_second_time_even_by_a_newer_run(desk):
    desk.collect(completed("a", "r1", generation=1, mode="reprocess", request="q"))
    again = completed("a", "r2", generation=2, mode="reprocess", request="q", said=receipt(**CAFE | {"total": "2.00"}))
    assert desk.collect(again) == [Recorded()]
    assert desk.rows("SELECT generation FROM budget.receipt_evidence") == [(1,)]
    assert desk.rows("SELECT count(*) FROM budget.receipt_ocr_runs") == [(2,)]


def test_a_cache_rebuild_changes_neither_reading_nor_status_and_needs_no_evidence(desk):
    assert desk.collect(completed("a", "r1", generation=1, mode="cache_only", request="q")) == [Applied()]
    assert desk.status("a") is None
    assert desk.rows("SELECT count(*) FROM budget.receipt_evidence") == [(0,)]
    assert desk.rows("SELECT outcome FROM budget.receipt_cache_requests") == [("cache_rebuilt",)]
    desk.collect(completed("a", "r2", generation=1))
    assert desk.status("a") == ("succeeded", None, [])


def test_a_failure_becomes_status_reason_and_dead_letter(desk):
    desk.collect(failed("a", "r1", code="PDF_ENCRYPTED", attempts=1))
    assert desk.rows(
        "SELECT status, attempts, terminal, last_error_code, last_error FROM ingest.receipt_processing_status"
    ) == [("failed", 1, True, "PDF_ENCRYPTED", "no page can be read")]
    assert desk.rows("SELECT id::text, family, message_id, code, state FROM budget.dead_letters") == [
        (uuid("r1"), "receipts.v1", f"receipt.v1:{source('a')}", "PDF_ENCRYPTED", "open")
    ]


@pytest.mark.parametrize("reasons", [(), ("TOTAL_AMBIGUOUS",)])
@pytest.mark.parametrize("mode", ["normal", "reprocess", "cache_only"])
def test_a_failure_never_overwrites_a_finished_receipt(desk, mode, reasons):
    desk.collect(completed("a", "r1", generation=1, said=receipt(reasons=reasons, **CAFE)))
    before = desk.status("a")
    desk.collect(failed("a", "r2", mode=mode, request=None if mode == "normal" else "q"))
    assert desk.status("a") == before


@pytest.mark.parametrize(("mode", "table"), [("reprocess", "reprocess"), ("cache_only", "cache")])
def test_a_failed_refresh_goes_to_its_request_and_may_still_succeed(desk, mode, table):
    desk.collect(failed("a", "r1", mode=mode, request="q", code="TIMEOUT", attempts=3))
    row = f"SELECT outcome, attempts, last_error FROM budget.receipt_{table}_requests"
    assert desk.rows(row) == [("failed", 3, "TIMEOUT: no page can be read")]
    assert desk.status("a") is None
    desk.collect(completed("a", "r2", generation=1, mode=mode, request="q"))
    assert desk.rows(row) == [("succeeded" if mode == "reprocess" else "cache_rebuilt", 1, None)]
    assert desk.collect(failed("a", "r3", mode=mode, request="q")) == [Recorded()]
    assert desk.rows(row)[0][0] != "failed"


@pytest.mark.case("C015")
def test_two_copies_of_one_file_are_one_receipt_and_both_paths_are_kept(desk):
    desk.collect(completed("a", "r1", generation=1, reference="inbox/one.pdf"))
    desk.collect(completed("a", "r2", generation=1, reference="inbox/copy.pdf"))
    assert desk.rows("SELECT source_reference FROM ingest.receipt_paths ORDER BY 1") == [
        ("inbox/copy.pdf",),
        ("inbox/one.pdf",),
    ]
    assert desk.rows("SELECT count(*) FROM budget.expenses") == [(1,)]


@pytest.mark.case("C014")
@pytest.mark.trap(33)
def test_a_nul_in_any_text_is_replaced_and_stored(desk):
    said = receipt(**CAFE | {"merchant": "Ca\x00fé", "address": r"backslash \u0000 stays"})
    assert desk.collect(completed("a", "r1", generation=1, said=said | {"raw_text": "one\x00two"})) == [Applied()]
    assert desk.rows("SELECT merchant, address, raw_text FROM budget.receipt_evidence") == [
        ("Ca�fé", r"backslash \u0000 stays", "one�two")
    ]


def test_a_final_event_ends_the_lease_of_its_own_purpose_and_request(desk):
    desk.collect(passed("a", "r0"))
    lease = (
        "INSERT INTO ingest.publications (source_sha256, purpose, publication, request_id, state, planned_at) "
        "VALUES (:source, :purpose, gen_random_uuid(), CAST(:request AS uuid), 'planned', now())"
    )
    desk.run(lease, source=source("a"), purpose="normal", request=None)
    desk.run(lease, source=source("a"), purpose="reprocess", request=uuid("q1"))
    state = "SELECT purpose, state, end_reason FROM ingest.publications ORDER BY 1"
    desk.collect(completed("a", "r2", generation=2, mode="reprocess", request="another"))
    assert desk.rows(state) == [("normal", "planned", None), ("reprocess", "planned", None)]
    desk.collect(completed("a", "r1", generation=1, mode="reprocess", request="q1"))
    desk.collect(failed("a", "r3"))
    assert desk.rows(state) == [("normal", "ended", "failed"), ("reprocess", "ended", "completed")]


def test_a_duplicate_ends_the_lease_of_the_publication_that_brought_it(desk):
    event = completed("a", "r1", generation=1)
    desk.collect(event)
    desk.run(
        "INSERT INTO ingest.publications (source_sha256, purpose, publication, state, planned_at) "
        "VALUES (:source, 'normal', gen_random_uuid(), 'planned', now())",
        source=source("a"),
    )
    desk.collect(event)
    assert desk.rows("SELECT state FROM ingest.publications") == [("ended",)]
