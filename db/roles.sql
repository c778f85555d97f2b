-- The database roles and what each may do. Run after every migration; running it again changes nothing.
-- A role has no password until an operator gives it one: ALTER ROLE ledger_collector PASSWORD '...'.
DO $$
DECLARE
    role text;
BEGIN
    FOREACH role IN ARRAY ARRAY['ledger_publisher', 'ledger_collector', 'ledger_core'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I LOGIN', role);
            EXCEPTION WHEN duplicate_object OR unique_violation THEN
                NULL; -- another database of this server was upgraded in the same moment
            END;
        END IF;
        EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA ingest, budget FROM %I', role);
        EXECUTE format('GRANT USAGE ON SCHEMA ingest, budget TO %I', role);
    END LOOP;
END
$$;

-- `ledger doctor` compares the revision, whoever runs it.
GRANT SELECT ON budget.alembic_version TO ledger_publisher, ledger_collector, ledger_core;

-- Discovery and housekeeping: read where receipts stand, keep paths, leases, the stat index and the sums.
GRANT SELECT, INSERT, UPDATE, DELETE ON
    ingest.receipts, ingest.receipt_paths, ingest.publications, ingest.source_index, ingest.scans
    TO ledger_publisher;
GRANT SELECT, INSERT, UPDATE, DELETE ON ingest.counted_receipts TO ledger_publisher;
GRANT SELECT, INSERT, UPDATE ON ingest.receipt_counts TO ledger_publisher;
GRANT SELECT, INSERT, DELETE ON ingest.booking_counts TO ledger_publisher;
GRANT SELECT, DELETE ON ingest.changed_receipts TO ledger_publisher;
GRANT SELECT ON
    ingest.receipt_processing_status, budget.dead_letters, budget.receipt_evidence,
    budget.receipt_reprocess_requests, budget.receipt_cache_requests, budget.receipt_ocr_artifacts,
    budget.receipt_corrections
    TO ledger_publisher;
GRANT SELECT (run_uuid, source_sha256, applied, collected_at) ON budget.receipt_ocr_runs TO ledger_publisher;
GRANT DELETE ON budget.receipt_ocr_artifacts TO ledger_publisher;
GRANT INSERT ON budget.dead_letters TO ledger_publisher;
GRANT UPDATE (body, headers, state, settled_at) ON budget.dead_letters TO ledger_publisher;
GRANT INSERT (source_sha256, status, attempts), UPDATE (status, attempts, terminal, last_error, last_error_code, updated_at)
    ON ingest.receipt_processing_status TO ledger_publisher;

-- Collector: writes what receipts say. It never deletes evidence, runs, passes or events.
GRANT SELECT, INSERT, UPDATE ON
    ingest.receipts, ingest.receipt_paths, ingest.receipt_processing_status,
    budget.receipt_evidence, budget.expenses, budget.receipt_reprocess_requests, budget.receipt_cache_requests,
    budget.dead_letters
    TO ledger_collector;
GRANT SELECT ON ingest.publications, budget.receipt_corrections TO ledger_collector;
GRANT UPDATE (state, ended_at, end_reason) ON ingest.publications TO ledger_collector;
GRANT SELECT, INSERT, DELETE ON budget.expense_items TO ledger_collector;
GRANT SELECT, INSERT ON
    budget.receipt_ocr_passes, budget.receipt_ocr_artifacts, budget.ocr_result_events, budget.receipt_ocr_runs
    TO ledger_collector;
GRANT UPDATE (applied) ON budget.receipt_ocr_runs TO ledger_collector;

-- Recognition and the pages: everything about receipts can be read; people correct and retry.
GRANT SELECT ON ALL TABLES IN SCHEMA ingest, budget TO ledger_core;
GRANT INSERT, UPDATE ON
    budget.receipt_corrections, budget.receipt_evidence, budget.expenses, ingest.receipt_processing_status
    TO ledger_core;
GRANT INSERT, DELETE ON budget.expense_items TO ledger_core;
GRANT INSERT, UPDATE, DELETE ON budget.expense_exports TO ledger_core;
GRANT INSERT ON budget.dead_letters TO ledger_core;
GRANT UPDATE (body, headers, state, settled_at) ON budget.dead_letters TO ledger_core;
GRANT UPDATE (state, ended_at, end_reason) ON ingest.publications TO ledger_core;

-- Recognition: jobs and files change state, documents and audit only grow, nothing is deleted but what processes report.
GRANT USAGE ON SCHEMA recognition TO ledger_core;
GRANT SELECT, INSERT, UPDATE ON
    recognition.s3_object, recognition.stored_file, recognition.recognition_job, recognition.tick_state
    TO ledger_core;
GRANT SELECT, INSERT ON recognition.document, recognition.document_row, recognition.audit_event TO ledger_core;
GRANT SELECT, INSERT, UPDATE, DELETE ON recognition.inbox_state, recognition.trouble TO ledger_core;
