"""Schema `ingest`: what is known of receipts and where they stand. All of it can be rebuilt from schema `budget`."""

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    Uuid,
    func,
    literal_column,
)
from sqlalchemy.dialects.postgresql import JSONB

from db.base import metadata

INGEST: Final = "ingest"


def _sha256() -> CheckConstraint:
    return CheckConstraint("source_sha256 ~ '^[0-9a-f]{64}$'", name="sha256")


def _receipt() -> Column[str]:
    return Column(
        "source_sha256", Text, ForeignKey(f"{INGEST}.receipts.source_sha256", ondelete="CASCADE"), nullable=False
    )


receipts = Table(
    "receipts",
    metadata,
    Column("source_sha256", Text, primary_key=True),
    Column("source_reference", Text, nullable=False, comment="the path under which the receipt was seen first"),
    Column("first_seen_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    _sha256(),
    Index("ix_receipts_first_seen_at", literal_column("first_seen_at DESC"), "source_sha256"),
    Index(
        "ix_receipts_canary",
        "source_sha256",
        postgresql_where=literal_column("source_reference = 'ledger-canary/receipt.png'"),
    ),
    Index("ix_receipts_prefix", "source_sha256", postgresql_ops={"source_sha256": "text_pattern_ops"}),
    schema=INGEST,
)
"""One row per content hash that discovery or the collector met."""

receipt_paths = Table(
    "receipt_paths",
    metadata,
    Column("source_reference", Text, primary_key=True),
    _receipt(),
    Column("seen_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Index(None, "source_sha256"),
    schema=INGEST,
    comment="a path holds one hash at a time; a hash may have many paths",
)
"""Which hash lies at which path now, as far as we know."""

receipt_processing_status = Table(
    "receipt_processing_status",
    metadata,
    Column("source_sha256", Text, ForeignKey(f"{INGEST}.receipts.source_sha256", ondelete="CASCADE"), primary_key=True),
    Column("status", Text, nullable=False),
    Column("attempts", Integer, nullable=False, server_default="0"),
    Column("terminal", Boolean, nullable=False, server_default="false"),
    Column("last_error", Text),
    Column("last_error_code", Text),
    Column("completed_at", DateTime(timezone=True)),
    Column("updated_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    CheckConstraint("status IN ('processing', 'succeeded', 'review_required', 'failed')", name="status"),
    CheckConstraint("attempts >= 0", name="attempts"),
    CheckConstraint("(status IN ('succeeded', 'review_required')) = (completed_at IS NOT NULL)", name="completed"),
    CheckConstraint("status <> 'failed' OR last_error_code IS NOT NULL", name="reason"),
    CheckConstraint("status = 'failed' OR NOT terminal", name="terminal"),
    Index(None, "status", literal_column("updated_at DESC")),
    schema=INGEST,
)
"""Where a receipt stands; no row means that nothing was ever finished for it."""

publications = Table(
    "publications",
    metadata,
    Column("source_sha256", Text, ForeignKey(f"{INGEST}.receipts.source_sha256", ondelete="CASCADE"), primary_key=True),
    Column("purpose", Text, primary_key=True, comment="the persistence mode of the published work"),
    Column("publication", Uuid(as_uuid=False), nullable=False, comment="header x-ledger-publication"),
    Column("request_id", Uuid(as_uuid=False)),
    Column("state", Text, nullable=False),
    Column("planned_at", DateTime(timezone=True), nullable=False),
    Column("confirmed_at", DateTime(timezone=True)),
    Column("ended_at", DateTime(timezone=True)),
    Column("end_reason", Text),
    CheckConstraint("purpose IN ('normal', 'reprocess', 'cache_only')", name="purpose"),
    CheckConstraint("(purpose = 'normal') = (request_id IS NULL)", name="request"),
    CheckConstraint("state IN ('planned', 'confirmed', 'ended')", name="state"),
    CheckConstraint("(state = 'ended') = (ended_at IS NOT NULL AND end_reason IS NOT NULL)", name="ended"),
    CheckConstraint("state <> 'confirmed' OR confirmed_at IS NOT NULL", name="confirmed"),
    CheckConstraint(
        "end_reason IN ('completed', 'failed', 'retry', 'replay', 'purge', 'expired', 'unconfirmed', 'epoch')",
        name="end_reason",
    ),
    Index("ix_publications_open", "planned_at", postgresql_where=literal_column("state <> 'ended'")),
    Index("ix_publications_planned", "publication", postgresql_where=literal_column("state = 'planned'")),
    schema=INGEST,
)
"""Leases: one row per hash and purpose; while it is open, no scan publishes that hash again."""

source_index = Table(
    "source_index",
    metadata,
    Column("kind", Text, primary_key=True),
    Column("path", Text, primary_key=True, comment="below the receipt root or the cache root"),
    Column("device", BigInteger, nullable=False),
    Column("inode", BigInteger, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("mtime_ns", BigInteger, nullable=False),
    Column("ctime_ns", BigInteger, nullable=False),
    Column("sha256", Text, nullable=False, comment="of a source: its content; of a cache file: the source it names"),
    CheckConstraint("kind IN ('source', 'cache')", name="kind"),
    CheckConstraint("sha256 ~ '^[0-9a-f]{64}$'", name="sha256"),
    Index(None, "sha256"),
    schema=INGEST,
)
"""Stat of a file -> what its content was: an unchanged file is not read again."""


scans = Table(
    "scans",
    metadata,
    Column("at", DateTime(timezone=True), primary_key=True, server_default=func.now()),
    Column("summary", JSONB, nullable=False),
    schema=INGEST,
)
"""Numbers of the last scans, one row each; old rows go with the next scan."""
