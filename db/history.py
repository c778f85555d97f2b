"""Schema `budget`: what was done about receipts: requests, runs, passes, artifacts, audit of events, dead letters."""

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Float,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    Uuid,
    literal_column,
)
from sqlalchemy.dialects.postgresql import JSONB

from db.base import metadata, sha256_check

BUDGET: Final = "budget"


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
        sha256_check(),
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
    sha256_check(),
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
    sha256_check(),
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
    sha256_check("sha256"),
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
    sha256_check(),
    sha256_check("payload_sha256"),
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
