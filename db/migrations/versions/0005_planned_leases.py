"""Confirming a window of leases costs the window, not the table."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_index(
        "ix_publications_planned",
        "publications",
        ["publication"],
        schema="ingest",
        postgresql_where=sa.literal_column("state = 'planned'"),
    )
