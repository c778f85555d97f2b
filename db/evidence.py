"""Schema `budget`: what receipts say, what people said of them, and what was booked. Refers to nothing else."""

from typing import Final

from sqlalchemy import (
    ARRAY,
    BigInteger,
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
    Numeric,
    Table,
    Text,
    Time,
    Uuid,
    func,
    literal_column,
)
from sqlalchemy.dialects.postgresql import JSONB

from db import history
from db.base import metadata, sha256_check

BUDGET: Final = history.BUDGET

MERCHANT_KEY: Final = "budget.merchant_key(merchant)"
"""SQL: a merchant without spaces and punctuation, in lower case (made by revision 0001)."""


def _money(name: str) -> Column[object]:
    return Column(name, Numeric(16, 4))


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
    Column("page_signature", Text, comment="where the first page has ink: 512 bits in hexadecimal"),
    Column("possible_duplicate_of", ARRAY(Text), nullable=False, server_default="{}", comment="hashes of those alike"),
    Column("merchant_key", Text, Computed(MERCHANT_KEY, persisted=True)),
    sha256_check(),
    CheckConstraint("extraction_status IN ('complete', 'review', 'unreadable')", name="extraction_status"),
    CheckConstraint("(extraction_status = 'complete') = (cardinality(review_reasons) = 0)", name="reasons"),
    CheckConstraint("read_status IN ('complete', 'review', 'unreadable')", name="read_status"),
    CheckConstraint("(read_status = 'complete') = (cardinality(read_reasons) = 0)", name="read_reasons"),
    CheckConstraint("extraction_confidence BETWEEN 0 AND 1", name="confidence"),
    CheckConstraint("currency ~ '^[A-Z]{3}$'", name="currency"),
    CheckConstraint("receipt_type IN ('purchase', 'refund')", name="receipt_type"),
    CheckConstraint("generation >= 0", name="generation"),
    CheckConstraint("page_signature ~ '^[0-9a-f]{128}$'", name="page_signature"),
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
    Column("corrected_by", Text, comment="name of the token, or cli:USER"),
    sha256_check(),
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
    sha256_check(),
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
