"""Schema `budget`: what receipts said, what was done about it, and the audit of every event. Refers to nothing else."""

from typing import Final

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Computed,
    Date,
    DateTime,
    Float,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    Numeric,
    Table,
    Text,
    Time,
    Uuid,
    func,
    literal_column,
)
from sqlalchemy.dialects.postgresql import JSONB

from db.base import metadata

BUDGET: Final = "budget"

MERCHANT_KEY: Final = "budget.merchant_key(merchant)"
"""SQL: a merchant without spaces and punctuation, in lower case (made by revision 0001)."""


def _money(name: str) -> Column[object]:
    return Column(name, Numeric(16, 4))


def _sha256(name: str = "source_sha256") -> CheckConstraint:
    return CheckConstraint(f"{name} ~ '^[0-9a-f]{{64}}$'", name=name)


receipt_evidence = Table(
    "receipt_evidence",
    metadata,
    Column("id", BigInteger, Identity(), primary_key=True),
    Column("source_sha256", Text, nullable=False, unique=True),
    Column("source_reference", Text, nullable=False),
    Column("merchant", Text),
    Column("address", Text),
    Column("phone", Text),
    Column("tax_ids", Text),
    Column("transaction_date", Date),
    Column("transaction_time", Time),
    Column("currency", Text),
    Column("country", Text),
    Column("receipt_type", Text),
    Column("receipt_number", Text),
    _money("subtotal"),
    _money("tax_total"),
    _money("tip"),
    _money("service_charge"),
    _money("discount"),
    _money("rounding"),
    _money("total"),
    _money("cash"),
    _money("change"),
    Column("payment_method", Text),
    Column("card_last4", Text),
    Column("fields", JSONB, nullable=False, comment="each single field with raw text, confidence, place, alternatives"),
    Column("items", JSONB, nullable=False, comment="line items as read; expense_items holds the booked ones"),
    Column("tax_lines", JSONB, nullable=False),
    Column("payments", JSONB, nullable=False),
    Column("raw_text", Text, nullable=False),
    Column("extraction_status", Text, nullable=False),
    Column("extraction_confidence", Float, nullable=False),
    Column("review_reasons", ARRAY(Text), nullable=False),
    Column("read_status", Text, nullable=False, comment="the reader's own verdict, before checks of ours and people"),
    Column("read_reasons", ARRAY(Text), nullable=False),
    Column("run_uuid", Uuid(as_uuid=False), nullable=False),
    Column("generation", BigInteger, nullable=False),
    Column("updated_at", DateTime(timezone=True), nullable=False),
    Column("merchant_key", Text, Computed(MERCHANT_KEY, persisted=True)),
    _sha256(),
    CheckConstraint("extraction_status IN ('complete', 'review', 'unreadable')", name="extraction_status"),
    CheckConstraint("(extraction_status = 'complete') = (cardinality(review_reasons) = 0)", name="reasons"),
    CheckConstraint("read_status IN ('complete', 'review', 'unreadable')", name="read_status"),
    CheckConstraint("(read_status = 'complete') = (cardinality(read_reasons) = 0)", name="read_reasons"),
    CheckConstraint("extraction_confidence BETWEEN 0 AND 1", name="confidence"),
    CheckConstraint("currency ~ '^[A-Z]{3}$'", name="currency"),
    CheckConstraint("receipt_type IN ('purchase', 'refund')", name="receipt_type"),
    CheckConstraint("generation >= 0", name="generation"),
    Index("ix_receipt_evidence_same", "currency", "total", "transaction_date"),
    schema=BUDGET,
)
"""What a receipt says: one row per source, of the run with the greatest generation, human corrections included."""

receipt_corrections = Table(
    "receipt_corrections",
    metadata,
    Column("source_sha256", Text, primary_key=True),
    Column("field", Text, primary_key=True, comment="a single field, an item's part, or `accepted`"),
    Column("item", Text, primary_key=True, server_default="", comment="content key of the line item as it was read"),
    Column("value", Text, comment="NULL: the receipt does not say it"),
    Column("corrected_at", DateTime(timezone=True), nullable=False),
    _sha256(),
    schema=BUDGET,
)
"""What a person said about a receipt; applied over every run, past and future."""

expenses = Table(
    "expenses",
    metadata,
    Column("id", BigInteger, Identity(), primary_key=True),
    Column("source_sha256", Text, unique=True, comment="NULL: not yet owned by a receipt"),
    Column("evidence_id", BigInteger, ForeignKey(f"{BUDGET}.receipt_evidence.id", ondelete="SET NULL")),
    Column("merchant", Text, nullable=False),
    Column("date", Date, nullable=False),
    Column("currency", Text, nullable=False),
    Column("total", Numeric(16, 4), nullable=False),
    Column("category", Text),
    Column("exported_at", DateTime(timezone=True)),
    Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("merchant_key", Text, Computed(MERCHANT_KEY, persisted=True)),
    _sha256(),
    CheckConstraint("currency ~ '^[A-Z]{3}$'", name="currency"),
    CheckConstraint("evidence_id IS NULL OR source_sha256 IS NOT NULL", name="owner"),
    Index("ix_expenses_unowned", "currency", "total", "date", postgresql_where=literal_column("source_sha256 IS NULL")),
    Index("ix_expenses_unexported", "id", postgresql_where=literal_column("exported_at IS NULL")),
    Index(None, "evidence_id"),
    schema=BUDGET,
)
"""One booking; its business key is the hash of the receipt that owns it."""

expense_items = Table(
    "expense_items",
    metadata,
    Column("expense_id", BigInteger, ForeignKey(f"{BUDGET}.expenses.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("description", Text, nullable=False),
    Column("quantity", Numeric(18, 6)),
    Column("unit_price", Numeric(16, 4)),
    Column("total", Numeric(16, 4)),
    Column("code", Text),
    CheckConstraint("position >= 1", name="position"),
    schema=BUDGET,
)
"""Lines of a booking, without the voided ones."""


def _requests(name: str, outcomes: str) -> Table:
    return Table(
        name,
        metadata,
        Column("source_sha256", Text, primary_key=True),
        Column("request_id", Uuid(as_uuid=False), primary_key=True),
        Column("attempts", Integer, nullable=False),
        Column("created_at", DateTime(timezone=True), nullable=False),
        Column("completed_at", DateTime(timezone=True)),
        Column("outcome", Text),
        Column("last_error", Text),
        _sha256(),
        CheckConstraint("attempts >= 0", name="attempts"),
        CheckConstraint(f"outcome IN ({outcomes})", name="outcome"),
        CheckConstraint("(outcome IS NULL) = (completed_at IS NULL)", name="completed"),
        Index(None, "request_id"),
        schema=BUDGET,
    )


receipt_reprocess_requests = _requests(
    "receipt_reprocess_requests", "'succeeded', 'review_required', 'superseded', 'failed'"
)
"""v2 requests that reached an outcome; the row comes with the first event."""

receipt_cache_requests = _requests("receipt_cache_requests", "'cache_rebuilt', 'superseded', 'failed'")
"""v3 requests that reached an outcome; the row comes with the first event."""

receipt_ocr_runs = Table(
    "receipt_ocr_runs",
    metadata,
    Column("run_uuid", Uuid(as_uuid=False), primary_key=True),
    Column("source_sha256", Text, nullable=False),
    Column("source_reference", Text, nullable=False),
    Column("persistence_mode", Text, nullable=False),
    Column("request_id", Uuid(as_uuid=False)),
    Column("generation", BigInteger, nullable=False),
    Column("applied", Boolean, nullable=False, comment="its reading is the one in receipt_evidence"),
    Column("attempt", Integer, nullable=False),
    Column("engine", Text, nullable=False),
    Column("engine_version", Text, nullable=False),
    Column("extractor_version", Text, nullable=False),
    Column("cache_sha256", Text, nullable=False),
    Column("processed_at", DateTime(timezone=True), nullable=False),
    Column("processing_seconds", Float, nullable=False),
    Column("timings", JSONB, nullable=False),
    Column("pages", Integer, nullable=False),
    Column("collected_at", DateTime(timezone=True), nullable=False),
    _sha256(),
    CheckConstraint("persistence_mode IN ('normal', 'reprocess', 'cache_only')", name="persistence_mode"),
    CheckConstraint("(persistence_mode = 'normal') = (request_id IS NULL)", name="request"),
    CheckConstraint("persistence_mode <> 'cache_only' OR NOT applied", name="cache_only"),
    Index(None, "source_sha256"),
    Index("uq_receipt_ocr_runs_applied", "source_sha256", unique=True, postgresql_where=literal_column("applied")),
    schema=BUDGET,
)
"""Every run that was ever reported, applied or not."""

receipt_ocr_passes = Table(
    "receipt_ocr_passes",
    metadata,
    Column("run_uuid", Uuid(as_uuid=False), primary_key=True, comment="may come before its run: no foreign key"),
    Column("pass_id", Integer, primary_key=True, autoincrement=False),
    Column("source_sha256", Text, nullable=False),
    Column("engine", Text, nullable=False),
    Column("engine_version", Text, nullable=False),
    Column("page_number", Integer, nullable=False),
    Column("dpi", Integer),
    Column("psm", Integer),
    Column("variant", Text, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("status", Text, nullable=False),
    Column("error_type", Text),
    Column("line_count", Integer, nullable=False),
    Column("character_count", Integer, nullable=False),
    Column("confidence", Float),
    Column("selected", Boolean, nullable=False),
    _sha256(),
    CheckConstraint("pass_id >= 1", name="pass_id"),
    CheckConstraint("status IN ('ok', 'failed')", name="status"),
    Index(None, "source_sha256"),
    schema=BUDGET,
)
"""Every reading of a page by an engine; a text layer is a pass of engine `text-layer`."""

receipt_ocr_artifacts = Table(
    "receipt_ocr_artifacts",
    metadata,
    Column("run_uuid", Uuid(as_uuid=False), primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("uri", Text, nullable=False),
    Column("sha256", Text, primary_key=True),
    Column("media_type", Text, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    _sha256("sha256"),
    CheckConstraint("size_bytes >= 0", name="size_bytes"),
    Index(None, "sha256"),
    schema=BUDGET,
)
"""Stored files of a run; while a row names a hash, its artifact is kept."""

ocr_result_events = Table(
    "ocr_result_events",
    metadata,
    Column("message_id", Text, primary_key=True),
    Column("event_type", Text, nullable=False),
    Column("run_uuid", Uuid(as_uuid=False), nullable=False),
    Column("source_sha256", Text, nullable=False),
    Column("source_reference", Text, nullable=False),
    Column("payload_sha256", Text, nullable=False, comment="tells two contents of one event id apart"),
    Column("outcome", Text, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column(
        "failure",
        JSONB(none_as_null=True),
        comment="of ocr.run-failed: code, detail, attempts, terminal, mode, request",
    ),
    Column("worker", JSONB, nullable=False),
    Column("trace_context", JSONB, nullable=False),
    Column("occurred_at", DateTime(timezone=True), nullable=False, comment="the worker's clock: shown, never compared"),
    Column("collected_at", DateTime(timezone=True), nullable=False),
    _sha256(),
    _sha256("payload_sha256"),
    CheckConstraint("outcome IN ('applied', 'superseded', 'recorded')", name="outcome"),
    CheckConstraint("(event_type = 'ocr.run-failed.v1') = (failure IS NOT NULL)", name="failure"),
    CheckConstraint(
        "(failure->>'persistence_mode' = 'normal') = (failure->>'request_id' IS NULL)", name="failure_request"
    ),
    Index(None, "source_sha256"),
    schema=BUDGET,
)
"""Audit: each event id once, with what became of it."""

dead_letters = Table(
    "dead_letters",
    metadata,
    Column("id", Uuid(as_uuid=False), primary_key=True, comment="with an identity: the run id of its run-failed event"),
    Column("family", Text, nullable=False),
    Column("message_id", Text),
    Column("source_sha256", Text),
    Column("source_reference", Text),
    Column("request_id", Uuid(as_uuid=False)),
    Column("code", Text, nullable=False),
    Column("detail", Text, nullable=False, server_default=""),
    Column("body", LargeBinary, comment="NULL until the dead copy itself was looked at"),
    Column("headers", JSONB, nullable=False, server_default="{}"),
    Column("dead_at", DateTime(timezone=True), nullable=False),
    Column("state", Text, nullable=False, server_default="open"),
    Column("settled_at", DateTime(timezone=True)),
    CheckConstraint("family IN ('receipts.v1', 'ocr.results.v1')", name="family"),
    CheckConstraint("state IN ('open', 'replaying', 'replayed', 'purged')", name="state"),
    CheckConstraint("(state IN ('replayed', 'purged')) = (settled_at IS NOT NULL)", name="settled"),
    Index(
        "ix_dead_letters_unsettled",
        "source_sha256",
        postgresql_where=literal_column("state IN ('open', 'replaying')"),
    ),
    Index(None, "dead_at"),
    schema=BUDGET,
)
"""One row per dead letter of either family, also of those without an identity."""
