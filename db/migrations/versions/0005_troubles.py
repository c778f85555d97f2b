"""What hinders the recognition exchange is remembered where every process can say it."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    moment = {"server_default": sa.text("now()"), "nullable": False}
    op.create_table(
        "trouble",
        sa.Column("place", sa.Text(), nullable=False, comment="a tick or a subject"),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), **moment),
        sa.Column("seen_at", sa.DateTime(timezone=True), **moment),
        sa.PrimaryKeyConstraint("place", name=op.f("pk_trouble")),
        schema="recognition",
    )
