"""What was exported last is remembered: the next export says what changed."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "expense_exports",
        sa.Column(
            "business_key", sa.Text(), nullable=False, comment="hash of the receipt, or `booking:ID` of an unowned one"
        ),
        sa.Column("booking", postgresql.JSONB(), nullable=False, comment="as it was written out, amounts as text"),
        sa.Column("exported_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("business_key", name=op.f("pk_expense_exports")),
        schema="budget",
    )
