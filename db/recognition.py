"""Schema `recognition`: files, their recognition jobs, the objects they live in, and the documents that came out."""

from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Date,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    Numeric,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    func,
    literal_column,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from db.base import metadata

RECOGNITION: Final = "recognition"


def _id() -> Column[str]:
    return Column("id", Uuid(as_uuid=False), primary_key=True, server_default=func.gen_random_uuid())


def _moment(name: str, *, default: bool = False) -> Column[Any]:
    return Column(name, DateTime(timezone=True), nullable=not default, server_default=func.now() if default else None)


def _points_to(name: str, table: str, *, nullable: bool = False, deferrable: bool = False) -> Column[Any]:
    target = ForeignKey(
        f"{RECOGNITION}.{table}.id",
        deferrable=deferrable or None,
        initially="DEFERRED" if deferrable else None,
        use_alter=deferrable,
        name="fk_stored_file_current_recognition_job_id" if deferrable else None,
    )
    return Column(name, Uuid(as_uuid=False), target, nullable=nullable)


s3_object = Table(
    "s3_object",
    metadata,
    _id(),
    Column("bucket", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("bucket_role", Text, nullable=False),
    Column("created_by", Text, nullable=False, server_default="arm-core"),
    Column("size_bytes", BigInteger, comment="NULL for a result: the inbox does not read it"),
    Column("sha256", Text, comment="NULL for a result: the inbox does not read it"),
    _moment("created_at", default=True),
    UniqueConstraint("bucket", "key"),
    CheckConstraint("bucket_role IN ('uploads', 'results')", name="bucket_role"),
    CheckConstraint("sha256 ~ '^[0-9a-f]{64}$'", name="sha256"),
    schema=RECOGNITION,
)
"""Where an object lies, and who put it there."""

stored_file = Table(
    "stored_file",
    metadata,
    _id(),
    Column("original_name", Text, nullable=False),
    Column("content_type", Text, nullable=False, server_default="application/octet-stream"),
    Column("status", Text, nullable=False, server_default="UPLOADED"),
    Column("error_code", Text, comment="that of its current job"),
    Column("error_message", Text),
    Column("mapping_error", Text, comment="why the result of a successful job could not become documents"),
    Column("consolidation_id", Uuid(as_uuid=False)),
    _points_to("s3_object_id", "s3_object"),
    _points_to("current_recognition_job_id", "recognition_job", nullable=True, deferrable=True),
    _moment("created_at", default=True),
    CheckConstraint("status IN ('UPLOADED', 'PROCESSING', 'PROCESSED', 'NEEDS_CHECK', 'ERROR')", name="status"),
    CheckConstraint("(status = 'ERROR') = (coalesce(error_code, mapping_error) IS NOT NULL)", name="error"),
    Index("ix_stored_file_processing", "current_recognition_job_id", postgresql_where=text("status = 'PROCESSING'")),
    Index("ix_stored_file_waiting_or_failed", "status", postgresql_where=text("status IN ('UPLOADED', 'ERROR')")),
    Index("ix_stored_file_created_at", literal_column("created_at DESC"), "id"),
    schema=RECOGNITION,
)
"""One uploaded file; the trigger `newest_job_is_current` points it to its newest attempt, whoever inserts one."""

recognition_job = Table(
    "recognition_job",
    metadata,
    _id(),
    _points_to("file_id", "stored_file"),
    Column("pipeline", Text, nullable=False),
    Column("status", Text, nullable=False, server_default="queued"),
    Column("attempt", Integer, nullable=False, server_default="1"),
    Column("max_attempts", Integer, nullable=False, server_default="3"),
    _moment("requested_at", default=True),
    _moment("published_at"),
    _moment("started_at"),
    _moment("finished_at"),
    _moment("reply_deadline"),
    Column("request_msg_id", Text),
    Column("request_subject", Text),
    Column("service_name", Text),
    Column("service_version", Text),
    Column("metrics", JSONB, nullable=False, server_default="{}"),
    Column("error_code", Text),
    Column("error_message", Text),
    Column("result_schema_version", Text),
    _points_to("result_s3_object_id", "s3_object", nullable=True),
    Column("result_msg_id", Text),
    Column("result_digest", Text, comment="SHA-256 of the result envelope: tells two contents of one id apart"),
    Column("statements_version", Text),
    UniqueConstraint("file_id", "attempt"),
    CheckConstraint("pipeline IN ('tabular', 'image')", name="pipeline"),
    CheckConstraint(
        "status IN ('queued', 'published', 'processing', 'done', 'needs_check', 'error', 'timeout', 'dlq')",
        name="status",
    ),
    CheckConstraint("attempt >= 1 AND max_attempts >= 1", name="attempt"),
    CheckConstraint("jsonb_typeof(metrics) = 'object'", name="metrics"),
    CheckConstraint(
        "status <> 'queued' OR coalesce(published_at, started_at, reply_deadline) IS NULL", name="queued_is_fresh"
    ),
    CheckConstraint(
        "status <> 'published' OR num_nulls(published_at, reply_deadline, request_msg_id, request_subject) = 0",
        name="published_is_complete",
    ),
    CheckConstraint(
        "status <> 'processing' OR num_nulls(started_at, reply_deadline, service_name) = 0",
        name="processing_is_complete",
    ),
    CheckConstraint(
        "(status IN ('done', 'needs_check', 'error', 'timeout', 'dlq')) = (finished_at IS NOT NULL)",
        name="final_is_finished",
    ),
    CheckConstraint("status NOT IN ('error', 'timeout', 'dlq') OR error_code IS NOT NULL", name="failure_has_its_code"),
    CheckConstraint("result_digest ~ '^[0-9a-f]{64}$'", name="result_digest"),
    Index("ix_recognition_job_queued", "requested_at", "id", postgresql_where=text("status = 'queued'")),
    Index("ix_recognition_job_published", "published_at", postgresql_where=text("status = 'published'")),
    Index(
        "ix_recognition_job_deadline",
        "reply_deadline",
        postgresql_where=text("status IN ('published', 'processing')"),
    ),
    Index("ix_recognition_job_requested_at", literal_column("requested_at DESC"), "id"),
    schema=RECOGNITION,
)
"""One attempt to recognize a file: the only point of exchange with the services."""

document = Table(
    "document",
    metadata,
    _id(),
    _points_to("file_id", "stored_file"),
    _points_to("recognition_job_id", "recognition_job"),
    Column("kind", Text, nullable=False),
    Column("title", Text),
    Column("currency", Text),
    Column("period_from", Date),
    Column("period_to", Date),
    CheckConstraint("kind IN ('osv', 'receipt', 'text')", name="kind"),
    Index(None, "file_id"),
    schema=RECOGNITION,
)
"""What a result file says, one statement each."""

document_row = Table(
    "document_row",
    metadata,
    Column(
        "document_id",
        Uuid(as_uuid=False),
        ForeignKey(f"{RECOGNITION}.document.id", ondelete="CASCADE"),
        primary_key=True,
    ),
    Column("position", Integer, primary_key=True),
    Column("account", Text),
    Column("name", Text),
    *(Column(f"{part}_{side}", Numeric) for part in ("opening", "turnover", "closing") for side in ("debit", "credit")),
    schema=RECOGNITION,
)
"""The rows of a document in their order, from 1."""

audit_event = Table(
    "audit_event",
    metadata,
    _id(),
    _moment("at", default=True),
    Column("actor", Text, nullable=False),
    Column("action", Text, nullable=False),
    _points_to("file_id", "stored_file", nullable=True),
    _points_to("job_id", "recognition_job", nullable=True),
    Column("details", JSONB, nullable=False, server_default="{}"),
    Index(None, "file_id"),
    schema=RECOGNITION,
)
"""What people did."""

inbox_state = Table(
    "inbox_state",
    metadata,
    Column("instance", Text, primary_key=True),
    _moment("alive_at", default=True),
    Column(
        "applied_through",
        DateTime(timezone=True),
        nullable=False,
        server_default=func.now(),
        comment="everything that reached this inbox before then is applied",
    ),
    _moment("listening_since"),
    schema=RECOGNITION,
)
"""One row per inbox, or per journal that an inbox left behind; `listening_since` is NULL while it is deaf."""

tick_state = Table(
    "tick_state",
    metadata,
    Column("name", Text, primary_key=True),
    _moment("ran_at", default=True),
    _moment("observing_since", default=True),
    schema=RECOGNITION,
)
"""When a tick ran last, and since when it has been running without a gap: after a gap silence proves nothing."""

trouble = Table(
    "trouble",
    metadata,
    Column("place", Text, primary_key=True, comment="a tick or a subject"),
    Column("code", Text, nullable=False),
    _moment("since", default=True),
    _moment("seen_at", default=True),
    schema=RECOGNITION,
)
"""What hinders the exchange, one row for each place where it was met; the row goes when the place works again."""
