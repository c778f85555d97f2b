"""Table `budget.expense_exports`: what the bookkeeping program was given last, so that a later export knows changes."""

from sqlalchemy import Column, DateTime, Table, Text
from sqlalchemy.dialects.postgresql import JSONB

from db.base import metadata
from db.evidence import BUDGET

expense_exports = Table(
    "expense_exports",
    metadata,
    Column("business_key", Text, primary_key=True, comment="hash of the receipt, or `booking:ID` of an unowned one"),
    Column("booking", JSONB, nullable=False, comment="as it was written out, amounts as text"),
    Column("exported_at", DateTime(timezone=True), nullable=False),
    schema=BUDGET,
)
"""One row per booking that was ever exported, in the form of its last export."""
