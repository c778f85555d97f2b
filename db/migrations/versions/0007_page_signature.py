"""What a page looks like, and which receipts a suspected one resembles, are kept with what it says."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.add_column(
        "receipt_evidence",
        sa.Column("page_signature", sa.Text(), comment="where the first page has ink: 512 bits in hexadecimal"),
        schema="budget",
    )
    op.create_check_constraint(
        "page_signature", "receipt_evidence", "page_signature ~ '^[0-9a-f]{128}$'", schema="budget"
    )
    op.add_column(
        "receipt_evidence",
        sa.Column(
            "possible_duplicate_of",
            ARRAY(sa.Text()),
            nullable=False,
            server_default="{}",
            comment="hashes of those alike",
        ),
        schema="budget",
    )
    # Receipts that wait as suspected ones were compared by these signs.
    op.execute(
        """
        UPDATE budget.receipt_evidence me SET possible_duplicate_of = (
            SELECT coalesce(array_agg(other.source_sha256 ORDER BY other.source_sha256), '{}')
            FROM budget.receipt_evidence other
            WHERE other.currency = me.currency AND other.total = me.total AND other.id <> me.id
              AND other.transaction_date = me.transaction_date
              AND (other.merchant_key = me.merchant_key OR other.receipt_number = me.receipt_number
                   OR other.transaction_time = me.transaction_time)
        )
        WHERE 'POSSIBLE_DUPLICATE' = ANY(review_reasons)
        """
    )
