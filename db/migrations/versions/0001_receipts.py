"""Schemas `ingest` and `budget`: receipts, what they say, and what was done about them."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.execute("CREATE SCHEMA ingest")
    op.execute(
        """
        CREATE FUNCTION budget.merchant_key(merchant text) RETURNS text
        LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
        RETURN lower(regexp_replace(merchant, '[[:space:][:punct:]]+', '', 'g'))
        """
    )
    op.create_table(
        "dead_letters",
        sa.Column(
            "id", sa.Uuid(as_uuid=False), nullable=False, comment="with an identity: the run id of its run-failed event"
        ),
        sa.Column("family", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column("source_sha256", sa.Text(), nullable=True),
        sa.Column("source_reference", sa.Text(), nullable=True),
        sa.Column("request_id", sa.Uuid(as_uuid=False), nullable=True),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), server_default="", nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=True, comment="NULL until the dead copy itself was looked at"),
        sa.Column("headers", postgresql.JSONB(astext_type=sa.Text()), server_default="{}", nullable=False),
        sa.Column("dead_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.Text(), server_default="open", nullable=False),
        sa.Column("settled_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "(state IN ('replayed', 'purged')) = (settled_at IS NOT NULL)", name=op.f("ck_dead_letters_settled")
        ),
        sa.CheckConstraint("family IN ('receipts.v1', 'ocr.results.v1')", name=op.f("ck_dead_letters_family")),
        sa.CheckConstraint("state IN ('open', 'replaying', 'replayed', 'purged')", name=op.f("ck_dead_letters_state")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_dead_letters")),
        schema="budget",
    )
    op.create_index(op.f("ix_dead_letters_dead_at"), "dead_letters", ["dead_at"], unique=False, schema="budget")
    op.create_index(
        "ix_dead_letters_unsettled",
        "dead_letters",
        ["source_sha256"],
        unique=False,
        schema="budget",
        postgresql_where=sa.text("state IN ('open', 'replaying')"),
    )
    op.create_table(
        "ocr_result_events",
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("event_type", sa.Text(), nullable=False),
        sa.Column("run_uuid", sa.Uuid(as_uuid=False), nullable=False),
        sa.Column("source_sha256", sa.Text(), nullable=False),
        sa.Column("source_reference", sa.Text(), nullable=False),
        sa.Column("payload_sha256", sa.Text(), nullable=False, comment="tells two contents of one event id apart"),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column(
            "failure",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=True,
            comment="of ocr.run-failed: code, detail, attempts, terminal, mode, request",
        ),
        sa.Column("worker", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("trace_context", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column(
            "occurred_at",
            sa.DateTime(timezone=True),
            nullable=False,
            comment="the worker's clock: shown, never compared",
        ),
        sa.Column("collected_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "(failure->>'persistence_mode' = 'normal') = (failure->>'request_id' IS NULL)",
            name=op.f("ck_ocr_result_events_failure_request"),
        ),
        sa.CheckConstraint(
            "(event_type = 'ocr.run-failed.v1') = (failure IS NOT NULL)", name=op.f("ck_ocr_result_events_failure")
        ),
        sa.CheckConstraint(
            "outcome IN ('applied', 'superseded', 'recorded')", name=op.f("ck_ocr_result_events_outcome")
        ),
        sa.CheckConstraint("payload_sha256 ~ '^[0-9a-f]{64}$'", name=op.f("ck_ocr_result_events_payload_sha256")),
        sa.CheckConstraint("source_sha256 ~ '^[0-9a-f]{64}$'", name=op.f("ck_ocr_result_events_source_sha256")),
        sa.PrimaryKeyConstraint("message_id", name=op.f("pk_ocr_result_events")),
        schema="budget",
    )
    op.create_index(
        op.f("ix_ocr_result_events_source_sha256"),
        "ocr_result_events",
        ["source_sha256"],
        unique=False,
        schema="budget",
    )
    op.create_table(
        "receipt_cache_requests",
        sa.Column("source_sha256", sa.Text(), nullable=False),
        sa.Column("request_id", sa.Uuid(as_uuid=False), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("completed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "outcome IN ('cache_rebuilt', 'superseded', 'failed')", name=op.f("ck_receipt_cache_requests_outcome")
        ),
        sa.CheckConstraint("source_sha256 ~ '^[0-9a-f]{64}$'", name=op.f("ck_receipt_cache_requests_source_sha256")),
        sa.CheckConstraint(
            "(outcome IS NULL) = (completed_at IS NULL)", name=op.f("ck_receipt_cache_requests_completed")
        ),
        sa.CheckConstraint("attempts >= 0", name=op.f("ck_receipt_cache_requests_attempts")),
        sa.PrimaryKeyConstraint("source_sha256", "request_id", name=op.f("pk_receipt_cache_requests")),
        schema="budget",
    )
    op.create_index(
        op.f("ix_receipt_cache_requests_request_id"),
        "receipt_cache_requests",
        ["request_id"],
        unique=False,
        schema="budget",
    )
    op.create_table(
        "receipt_corrections",
        sa.Column("source_sha256", sa.Text(), nullable=False),
        sa.Column("field", sa.Text(), nullable=False, comment="a single field, an item's part, or `accepted`"),
        sa.Column(
            "item", sa.Text(), server_default="", nullable=False, comment="content key of the line item as it was read"
        ),
        sa.Column("value", sa.Text(), nullable=True, comment="NULL: the receipt does not say it"),
        sa.Column("corrected_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("source_sha256 ~ '^[0-9a-f]{64}$'", name=op.f("ck_receipt_corrections_source_sha256")),
        sa.PrimaryKeyConstraint("source_sha256", "field", "item", name=op.f("pk_receipt_corrections")),
        schema="budget",
    )
    op.create_table(
        "receipt_evidence",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("source_sha256", sa.Text(), nullable=False),
        sa.Column("source_reference", sa.Text(), nullable=False),
        sa.Column("merchant", sa.Text(), nullable=True),
        sa.Column("address", sa.Text(), nullable=True),
        sa.Column("phone", sa.Text(), nullable=True),
        sa.Column("tax_ids", sa.Text(), nullable=True),
        sa.Column("transaction_date", sa.Date(), nullable=True),
        sa.Column("transaction_time", sa.Time(), nullable=True),
        sa.Column("currency", sa.Text(), nullable=True),
        sa.Column("country", sa.Text(), nullable=True),
        sa.Column("receipt_type", sa.Text(), nullable=True),
        sa.Column("receipt_number", sa.Text(), nullable=True),
        sa.Column("subtotal", sa.Numeric(precision=16, scale=4), nullable=True),
        sa.Column("tax_total", sa.Numeric(precision=16, scale=4), nullable=True),
        sa.Column("tip", sa.Numeric(precision=16, scale=4), nullable=True),
        sa.Column("service_charge", sa.Numeric(precision=16, scale=4), nullable=True),
        sa.Column("discount", sa.Numeric(precision=16, scale=4), nullable=True),
        sa.Column("rounding", sa.Numeric(precision=16, scale=4), nullable=True),
        sa.Column("total", sa.Numeric(precision=16, scale=4), nullable=True),
        sa.Column("cash", sa.Numeric(precision=16, scale=4), nullable=True),
        sa.Column("change", sa.Numeric(precision=16, scale=4), nullable=True),
        sa.Column("payment_method", sa.Text(), nullable=True),
        sa.Column("card_last4", sa.Text(), nullable=True),
        sa.Column(
            "fields",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=False,
            comment="each single field with raw text, confidence, place, alternatives",
        ),
        sa.Column(
            "items",
            postgresql.JSONB(astext_type=sa.Text()),
            nullable=False,
            comment="line items as read; expense_items holds the booked ones",
        ),
        sa.Column("tax_lines", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("payments", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("raw_text", sa.Text(), nullable=False),
        sa.Column("extraction_status", sa.Text(), nullable=False),
        sa.Column("extraction_confidence", sa.Float(), nullable=False),
        sa.Column("review_reasons", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column(
            "read_status",
            sa.Text(),
            nullable=False,
            comment="the reader's own verdict, before checks of ours and people",
        ),
        sa.Column("read_reasons", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("run_uuid", sa.Uuid(as_uuid=False), nullable=False),
        sa.Column("generation", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column(
            "merchant_key",
            sa.Text(),
            sa.Computed("budget.merchant_key(merchant)", persisted=True),
            nullable=True,
        ),
        sa.CheckConstraint(
            "(extraction_status = 'complete') = (cardinality(review_reasons) = 0)",
            name=op.f("ck_receipt_evidence_reasons"),
        ),
        sa.CheckConstraint("currency ~ '^[A-Z]{3}$'", name=op.f("ck_receipt_evidence_currency")),
        sa.CheckConstraint(
            "extraction_status IN ('complete', 'review', 'unreadable')",
            name=op.f("ck_receipt_evidence_extraction_status"),
        ),
        sa.CheckConstraint("receipt_type IN ('purchase', 'refund')", name=op.f("ck_receipt_evidence_receipt_type")),
        sa.CheckConstraint("source_sha256 ~ '^[0-9a-f]{64}$'", name=op.f("ck_receipt_evidence_source_sha256")),
        sa.CheckConstraint(
            "read_status IN ('complete', 'review', 'unreadable')", name=op.f("ck_receipt_evidence_read_status")
        ),
        sa.CheckConstraint(
            "(read_status = 'complete') = (cardinality(read_reasons) = 0)",
            name=op.f("ck_receipt_evidence_read_reasons"),
        ),
        sa.CheckConstraint("extraction_confidence BETWEEN 0 AND 1", name=op.f("ck_receipt_evidence_confidence")),
        sa.CheckConstraint("generation >= 0", name=op.f("ck_receipt_evidence_generation")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_receipt_evidence")),
        sa.UniqueConstraint("source_sha256", name=op.f("uq_receipt_evidence_source_sha256")),
        schema="budget",
    )
    op.create_index(
        "ix_receipt_evidence_same",
        "receipt_evidence",
        ["currency", "total", "transaction_date"],
        unique=False,
        schema="budget",
    )
    op.create_table(
        "receipt_ocr_artifacts",
        sa.Column("run_uuid", sa.Uuid(as_uuid=False), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("uri", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("sha256 ~ '^[0-9a-f]{64}$'", name=op.f("ck_receipt_ocr_artifacts_sha256")),
        sa.CheckConstraint("size_bytes >= 0", name=op.f("ck_receipt_ocr_artifacts_size_bytes")),
        sa.PrimaryKeyConstraint("run_uuid", "kind", "sha256", name=op.f("pk_receipt_ocr_artifacts")),
        schema="budget",
    )
    op.create_index(
        op.f("ix_receipt_ocr_artifacts_sha256"), "receipt_ocr_artifacts", ["sha256"], unique=False, schema="budget"
    )
    op.create_table(
        "receipt_ocr_passes",
        sa.Column(
            "run_uuid", sa.Uuid(as_uuid=False), nullable=False, comment="may come before its run: no foreign key"
        ),
        sa.Column("pass_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("source_sha256", sa.Text(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("engine_version", sa.Text(), nullable=False),
        sa.Column("page_number", sa.Integer(), nullable=False),
        sa.Column("dpi", sa.Integer(), nullable=True),
        sa.Column("psm", sa.Integer(), nullable=True),
        sa.Column("variant", sa.Text(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("error_type", sa.Text(), nullable=True),
        sa.Column("line_count", sa.Integer(), nullable=False),
        sa.Column("character_count", sa.Integer(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=True),
        sa.Column("selected", sa.Boolean(), nullable=False),
        sa.CheckConstraint("source_sha256 ~ '^[0-9a-f]{64}$'", name=op.f("ck_receipt_ocr_passes_source_sha256")),
        sa.CheckConstraint("status IN ('ok', 'failed')", name=op.f("ck_receipt_ocr_passes_status")),
        sa.CheckConstraint("pass_id >= 1", name=op.f("ck_receipt_ocr_passes_pass_id")),
        sa.PrimaryKeyConstraint("run_uuid", "pass_id", name=op.f("pk_receipt_ocr_passes")),
        schema="budget",
    )
    op.create_index(
        op.f("ix_receipt_ocr_passes_source_sha256"),
        "receipt_ocr_passes",
        ["source_sha256"],
        unique=False,
        schema="budget",
    )
    op.create_table(
        "receipt_ocr_runs",
        sa.Column("run_uuid", sa.Uuid(as_uuid=False), nullable=False),
        sa.Column("source_sha256", sa.Text(), nullable=False),
        sa.Column("source_reference", sa.Text(), nullable=False),
        sa.Column("persistence_mode", sa.Text(), nullable=False),
        sa.Column("request_id", sa.Uuid(as_uuid=False), nullable=True),
        sa.Column("generation", sa.BigInteger(), nullable=False),
        sa.Column("applied", sa.Boolean(), nullable=False, comment="its reading is the one in receipt_evidence"),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("engine_version", sa.Text(), nullable=False),
        sa.Column("extractor_version", sa.Text(), nullable=False),
        sa.Column("cache_sha256", sa.Text(), nullable=False),
        sa.Column("processed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("processing_seconds", sa.Float(), nullable=False),
        sa.Column("timings", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("pages", sa.Integer(), nullable=False),
        sa.Column("collected_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "(persistence_mode = 'normal') = (request_id IS NULL)", name=op.f("ck_receipt_ocr_runs_request")
        ),
        sa.CheckConstraint(
            "persistence_mode <> 'cache_only' OR NOT applied", name=op.f("ck_receipt_ocr_runs_cache_only")
        ),
        sa.CheckConstraint(
            "persistence_mode IN ('normal', 'reprocess', 'cache_only')",
            name=op.f("ck_receipt_ocr_runs_persistence_mode"),
        ),
        sa.CheckConstraint("source_sha256 ~ '^[0-9a-f]{64}$'", name=op.f("ck_receipt_ocr_runs_source_sha256")),
        sa.PrimaryKeyConstraint("run_uuid", name=op.f("pk_receipt_ocr_runs")),
        schema="budget",
    )
    op.create_index(
        op.f("ix_receipt_ocr_runs_source_sha256"), "receipt_ocr_runs", ["source_sha256"], unique=False, schema="budget"
    )
    op.create_index(
        "uq_receipt_ocr_runs_applied",
        "receipt_ocr_runs",
        ["source_sha256"],
        unique=True,
        schema="budget",
        postgresql_where=sa.text("applied"),
    )
    op.create_table(
        "receipt_reprocess_requests",
        sa.Column("source_sha256", sa.Text(), nullable=False),
        sa.Column("request_id", sa.Uuid(as_uuid=False), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("completed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "outcome IN ('succeeded', 'review_required', 'superseded', 'failed')",
            name=op.f("ck_receipt_reprocess_requests_outcome"),
        ),
        sa.CheckConstraint(
            "source_sha256 ~ '^[0-9a-f]{64}$'", name=op.f("ck_receipt_reprocess_requests_source_sha256")
        ),
        sa.CheckConstraint(
            "(outcome IS NULL) = (completed_at IS NULL)", name=op.f("ck_receipt_reprocess_requests_completed")
        ),
        sa.CheckConstraint("attempts >= 0", name=op.f("ck_receipt_reprocess_requests_attempts")),
        sa.PrimaryKeyConstraint("source_sha256", "request_id", name=op.f("pk_receipt_reprocess_requests")),
        schema="budget",
    )
    op.create_index(
        op.f("ix_receipt_reprocess_requests_request_id"),
        "receipt_reprocess_requests",
        ["request_id"],
        unique=False,
        schema="budget",
    )
    op.create_table(
        "receipts",
        sa.Column("source_sha256", sa.Text(), nullable=False),
        sa.Column(
            "source_reference", sa.Text(), nullable=False, comment="the path under which the receipt was seen first"
        ),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("source_sha256 ~ '^[0-9a-f]{64}$'", name=op.f("ck_receipts_sha256")),
        sa.PrimaryKeyConstraint("source_sha256", name=op.f("pk_receipts")),
        schema="ingest",
    )
    op.create_index(
        "ix_receipts_first_seen_at",
        "receipts",
        [sa.literal_column("first_seen_at DESC"), "source_sha256"],
        unique=False,
        schema="ingest",
    )
    op.create_index(
        "ix_receipts_prefix",
        "receipts",
        ["source_sha256"],
        unique=False,
        schema="ingest",
        postgresql_ops={"source_sha256": "text_pattern_ops"},
    )
    op.create_table(
        "source_index",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False, comment="below the receipt root or the cache root"),
        sa.Column("device", sa.BigInteger(), nullable=False),
        sa.Column("inode", sa.BigInteger(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("mtime_ns", sa.BigInteger(), nullable=False),
        sa.Column("ctime_ns", sa.BigInteger(), nullable=False),
        sa.Column(
            "sha256",
            sa.Text(),
            nullable=False,
            comment="of a source: its content; of a cache file: the source it names",
        ),
        sa.CheckConstraint("kind IN ('source', 'cache')", name=op.f("ck_source_index_kind")),
        sa.CheckConstraint("sha256 ~ '^[0-9a-f]{64}$'", name=op.f("ck_source_index_sha256")),
        sa.PrimaryKeyConstraint("kind", "path", name=op.f("pk_source_index")),
        schema="ingest",
    )
    op.create_index(op.f("ix_source_index_sha256"), "source_index", ["sha256"], unique=False, schema="ingest")
    op.create_table(
        "expenses",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("source_sha256", sa.Text(), nullable=True, comment="NULL: not yet owned by a receipt"),
        sa.Column("evidence_id", sa.BigInteger(), nullable=True),
        sa.Column("merchant", sa.Text(), nullable=False),
        sa.Column("date", sa.Date(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("total", sa.Numeric(precision=16, scale=4), nullable=False),
        sa.Column("category", sa.Text(), nullable=True),
        sa.Column("exported_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column(
            "merchant_key",
            sa.Text(),
            sa.Computed("budget.merchant_key(merchant)", persisted=True),
            nullable=True,
        ),
        sa.CheckConstraint("currency ~ '^[A-Z]{3}$'", name=op.f("ck_expenses_currency")),
        sa.CheckConstraint("source_sha256 ~ '^[0-9a-f]{64}$'", name=op.f("ck_expenses_source_sha256")),
        sa.CheckConstraint("evidence_id IS NULL OR source_sha256 IS NOT NULL", name=op.f("ck_expenses_owner")),
        sa.ForeignKeyConstraint(
            ["evidence_id"], ["budget.receipt_evidence.id"], name=op.f("fk_expenses_evidence_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_expenses")),
        sa.UniqueConstraint("source_sha256", name=op.f("uq_expenses_source_sha256")),
        schema="budget",
    )
    op.create_index(op.f("ix_expenses_evidence_id"), "expenses", ["evidence_id"], unique=False, schema="budget")
    op.create_index(
        "ix_expenses_unexported",
        "expenses",
        ["id"],
        unique=False,
        schema="budget",
        postgresql_where=sa.text("exported_at IS NULL"),
    )
    op.create_index(
        "ix_expenses_unowned",
        "expenses",
        ["currency", "total", "date"],
        unique=False,
        schema="budget",
        postgresql_where=sa.text("source_sha256 IS NULL"),
    )
    op.create_table(
        "publications",
        sa.Column("source_sha256", sa.Text(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False, comment="the persistence mode of the published work"),
        sa.Column("publication", sa.Uuid(as_uuid=False), nullable=False, comment="header x-ledger-publication"),
        sa.Column("request_id", sa.Uuid(as_uuid=False), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("planned_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("confirmed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("end_reason", sa.Text(), nullable=True),
        sa.CheckConstraint("(purpose = 'normal') = (request_id IS NULL)", name=op.f("ck_publications_request")),
        sa.CheckConstraint(
            "(state = 'ended') = (ended_at IS NOT NULL AND end_reason IS NOT NULL)", name=op.f("ck_publications_ended")
        ),
        sa.CheckConstraint(
            "end_reason IN ('completed', 'failed', 'retry', 'replay', 'purge', 'expired', 'unconfirmed', 'epoch')",
            name=op.f("ck_publications_end_reason"),
        ),
        sa.CheckConstraint("purpose IN ('normal', 'reprocess', 'cache_only')", name=op.f("ck_publications_purpose")),
        sa.CheckConstraint("state <> 'confirmed' OR confirmed_at IS NOT NULL", name=op.f("ck_publications_confirmed")),
        sa.CheckConstraint("state IN ('planned', 'confirmed', 'ended')", name=op.f("ck_publications_state")),
        sa.ForeignKeyConstraint(
            ["source_sha256"],
            ["ingest.receipts.source_sha256"],
            name=op.f("fk_publications_source_sha256"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("source_sha256", "purpose", name=op.f("pk_publications")),
        schema="ingest",
    )
    op.create_index(
        "ix_publications_planned",
        "publications",
        ["publication"],
        unique=False,
        schema="ingest",
        postgresql_where=sa.text("state = 'planned'"),
    )
    op.create_index(
        "ix_publications_open",
        "publications",
        ["planned_at"],
        unique=False,
        schema="ingest",
        postgresql_where=sa.text("state <> 'ended'"),
    )
    op.create_table(
        "receipt_paths",
        sa.Column("source_reference", sa.Text(), nullable=False),
        sa.Column("source_sha256", sa.Text(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["source_sha256"],
            ["ingest.receipts.source_sha256"],
            name=op.f("fk_receipt_paths_source_sha256"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("source_reference", name=op.f("pk_receipt_paths")),
        schema="ingest",
        comment="a path holds one hash at a time; a hash may have many paths",
    )
    op.create_index(
        op.f("ix_receipt_paths_source_sha256"), "receipt_paths", ["source_sha256"], unique=False, schema="ingest"
    )
    op.create_table(
        "receipt_processing_status",
        sa.Column("source_sha256", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("terminal", sa.Boolean(), server_default="false", nullable=False),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("last_error_code", sa.Text(), nullable=True),
        sa.Column("completed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "(status IN ('succeeded', 'review_required')) = (completed_at IS NOT NULL)",
            name=op.f("ck_receipt_processing_status_completed"),
        ),
        sa.CheckConstraint(
            "status <> 'failed' OR last_error_code IS NOT NULL", name=op.f("ck_receipt_processing_status_reason")
        ),
        sa.CheckConstraint("status = 'failed' OR NOT terminal", name=op.f("ck_receipt_processing_status_terminal")),
        sa.CheckConstraint(
            "status IN ('processing', 'succeeded', 'review_required', 'failed')",
            name=op.f("ck_receipt_processing_status_status"),
        ),
        sa.CheckConstraint("attempts >= 0", name=op.f("ck_receipt_processing_status_attempts")),
        sa.ForeignKeyConstraint(
            ["source_sha256"],
            ["ingest.receipts.source_sha256"],
            name=op.f("fk_receipt_processing_status_source_sha256"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("source_sha256", name=op.f("pk_receipt_processing_status")),
        schema="ingest",
    )
    op.create_index(
        op.f("ix_receipt_processing_status_status_updated_at DESC"),
        "receipt_processing_status",
        ["status", sa.literal_column("updated_at DESC")],
        unique=False,
        schema="ingest",
    )
    op.create_table(
        "expense_items",
        sa.Column("expense_id", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("quantity", sa.Numeric(precision=18, scale=6), nullable=True),
        sa.Column("unit_price", sa.Numeric(precision=16, scale=4), nullable=True),
        sa.Column("total", sa.Numeric(precision=16, scale=4), nullable=True),
        sa.Column("code", sa.Text(), nullable=True),
        sa.CheckConstraint("position >= 1", name=op.f("ck_expense_items_position")),
        sa.ForeignKeyConstraint(
            ["expense_id"], ["budget.expenses.id"], name=op.f("fk_expense_items_expense_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("expense_id", "position", name=op.f("pk_expense_items")),
        schema="budget",
    )
