"""A database full of receipts, by SQL: as many as asked, in every state, with evidence, runs and events."""

from sqlalchemy import Connection, text

RECEIPTS = """
INSERT INTO ingest.receipts (source_sha256, source_reference, first_seen_at)
SELECT encode(sha256(n::text::bytea), 'hex'), format('2026-%s/receipt_%s.jpg', lpad((1 + n % 12)::text, 2, '0'), n),
       now() - n * interval '7 minutes'
FROM generate_series(1, :count) n
"""
PATHS = """
INSERT INTO ingest.receipt_paths (source_reference, source_sha256, seen_at)
SELECT source_reference, source_sha256, now() FROM ingest.receipts
"""
NUMBERED = """
WITH numbered AS (
    SELECT source_sha256, source_reference, first_seen_at,
           substring(source_reference from '_([0-9]+)[.]')::int AS n
    FROM ingest.receipts
)
"""
STATUS = (
    NUMBERED
    + """
INSERT INTO ingest.receipt_processing_status
    (source_sha256, status, attempts, terminal, last_error, last_error_code, completed_at, updated_at)
SELECT source_sha256,
    CASE WHEN n % 25 = 0 THEN 'review_required' WHEN n % 40 = 1 THEN 'failed' ELSE 'succeeded' END,
    CASE WHEN n % 40 = 1 THEN 3 ELSE 1 END, n % 40 = 1,
    CASE WHEN n % 40 = 1 THEN 'not read within 300 seconds' END, CASE WHEN n % 40 = 1 THEN 'TIMEOUT' END,
    CASE WHEN n % 40 <> 1 THEN first_seen_at + interval '1 minute' END, first_seen_at + interval '1 minute'
FROM numbered WHERE n % 50 <> 3
"""
)
LEASES = (
    NUMBERED
    + """
INSERT INTO ingest.publications
    (source_sha256, purpose, publication, state, planned_at, confirmed_at, ended_at, end_reason)
SELECT source_sha256, 'normal', gen_random_uuid(), CASE WHEN n % 50 = 3 THEN 'confirmed' ELSE 'ended' END,
    first_seen_at, first_seen_at + interval '1 second',
    CASE WHEN n % 50 <> 3 THEN first_seen_at + interval '1 minute' END, CASE WHEN n % 50 <> 3 THEN 'completed' END
FROM numbered
"""
)
FIELD = """
jsonb_build_object('value', {value}, 'raw', {value}, 'confidence', 0.9, 'source', 'rapidocr', 'page', 1,
    'box', jsonb_build_array(40, 40 + 60 * {row}, 400, 90 + 60 * {row}), 'alternatives', {others}, 'status', {status})
"""
MISSING = (
    '{"value": null, "raw": null, "confidence": 0.0, "source": null, "page": null, "box": null, '
    '"alternatives": [], "status": "missing"}'
)
OTHER_FIELDS = (
    *("address", "phone", "tax_ids", "transaction_time", "country", "receipt_type", "receipt_number", "subtotal"),
    *("tax_total", "tip", "service_charge", "discount", "rounding", "cash", "change", "payment_method", "card_last4"),
)
DOUBT = "n % 25 = 0"
EVIDENCE = (
    NUMBERED
    + f"""
, said AS (
    SELECT *, format('Shop %s', n % 97) AS merchant, (date '2026-01-01' + n % 300) AS day,
        round((n % 9000) / 7.0 + 1, 2) AS total
    FROM numbered
)
INSERT INTO budget.receipt_evidence (
    source_sha256, source_reference, merchant, transaction_date, currency, total, fields, items, tax_lines, payments,
    raw_text, extraction_status, extraction_confidence, review_reasons, read_status, read_reasons, run_uuid, generation,
    updated_at)
SELECT source_sha256, source_reference, merchant, day, 'EUR', CASE WHEN {DOUBT} THEN NULL ELSE total END,
    CAST(:others AS jsonb) || jsonb_build_object(
        'merchant', {FIELD.format(value="merchant", row=0, others="'[]'::jsonb", status="'ok'")},
        'transaction_date', {FIELD.format(value="day::text", row=1, others="'[]'::jsonb", status="'ok'")},
        'currency', {FIELD.format(value="'EUR'::text", row=2, others="'[]'::jsonb", status="'ok'")},
        'total', {
        FIELD.format(
            value=f"CASE WHEN NOT ({DOUBT}) THEN total::text END",
            row=3,
            others=f"CASE WHEN {DOUBT} THEN jsonb_build_array(total::text, (total + 10)::text) ELSE '[]' END",
            status=f"CASE WHEN {DOUBT} THEN 'ambiguous' ELSE 'ok' END",
        )
    }),
    jsonb_build_array(jsonb_build_object('description', 'Bread', 'quantity', '1', 'unit_price', total::text,
        'total', total::text, 'code', null, 'void', false)), '[]', '[]',
    format(E'%s\\nTOTAL %s\\nThank you for visit number %s\\n', merchant, total, n)
        || repeat(E'lorem ipsum line\\n', 20),
    CASE WHEN {DOUBT} THEN 'review' ELSE 'complete' END, 0.9,
    CASE WHEN {DOUBT} THEN ARRAY['TOTAL_AMBIGUOUS'] ELSE '{{}}' END,
    CASE WHEN {DOUBT} THEN 'review' ELSE 'complete' END,
    CASE WHEN {DOUBT} THEN ARRAY['TOTAL_AMBIGUOUS'] ELSE '{{}}' END,
    gen_random_uuid(), 1, first_seen_at + interval '1 minute'
FROM said WHERE n % 50 <> 3 AND n % 40 <> 1
"""
)
RUNS = """
INSERT INTO budget.receipt_ocr_runs
SELECT run_uuid, source_sha256, source_reference, 'normal', NULL, 1, true, 1, 'rapidocr', '3.10', '1',
    encode(sha256(run_uuid::text::bytea), 'hex'), updated_at - interval '2 seconds', 1.4, '{"ocr": 1.2}', 1, updated_at
FROM budget.receipt_evidence
"""
EXPENSES = """
INSERT INTO budget.expenses (source_sha256, evidence_id, merchant, date, currency, total, created_at)
SELECT source_sha256, id, merchant, transaction_date, currency, total, updated_at
FROM budget.receipt_evidence WHERE extraction_status = 'complete'
"""
LETTERS = """
INSERT INTO budget.dead_letters (id, family, message_id, source_sha256, source_reference, code, detail, body, dead_at)
SELECT gen_random_uuid(), 'receipts.v1', 'receipt.v1:' || source_sha256, source_sha256, source_reference,
    last_error_code, last_error, '{"version": 1}', updated_at
FROM ingest.receipt_processing_status JOIN ingest.receipts USING (source_sha256) WHERE status = 'failed'
"""


def seed(connection: Connection, count: int) -> None:
    """Fill an empty database: of `count` receipts 1 in 25 waits for review, 1 in 40 is dead, 1 in 50 in flight."""
    import json

    others = json.dumps({name: json.loads(MISSING) for name in OTHER_FIELDS})
    for statement in (RECEIPTS, PATHS, STATUS, LEASES, EVIDENCE, RUNS, EXPENSES, LETTERS):
        wanted = {name: value for name, value in (("count", count), ("others", others)) if f":{name}" in statement}
        connection.execute(text(statement), wanted)
    connection.execute(text("ANALYZE"))
