"""Who corrected a receipt is kept beside when."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column(
        "receipt_corrections",
        sa.Column("corrected_by", sa.Text(), nullable=True, comment="name of the token, or cli:USER"),
        schema="budget",
    )
