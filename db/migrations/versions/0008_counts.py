"""Nobody counts all receipts, files and bookings any more: what changed is marked, and sums are kept."""

import sqlalchemy as sa
from alembic import op

from db.counts import begin_counting

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_table("changed_receipts", sa.Column("source_sha256", sa.Text(), nullable=False), schema="ingest")
    op.create_table(
        "counted_receipts",
        sa.Column("source_sha256", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False, comment="status, or `known` without one"),
        sa.Column("files", sa.Integer(), nullable=False, comment="files with this content as the last scan saw them"),
        sa.PrimaryKeyConstraint("source_sha256", name=op.f("pk_counted_receipts")),
        schema="ingest",
    )
    op.create_table(
        "receipt_counts",
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("receipts", sa.BigInteger(), nullable=False),
        sa.Column("files", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("state", name=op.f("pk_receipt_counts")),
        schema="ingest",
    )
    op.create_table(
        "booking_counts",
        sa.Column("exported", sa.Boolean(), nullable=False),
        sa.Column("bookings", sa.BigInteger(), nullable=False, comment="a difference: the sum of all is the number"),
        schema="ingest",
    )
    op.create_index(
        "ix_receipts_canary",
        "receipts",
        ["source_sha256"],
        unique=False,
        schema="ingest",
        postgresql_where=sa.text("source_reference = 'ledger-canary/receipt.png'"),
    )
    op.create_index(
        "ix_stored_file_waiting_or_failed",
        "stored_file",
        ["status"],
        unique=False,
        schema="recognition",
        postgresql_where=sa.text("status IN ('UPLOADED', 'ERROR')"),
    )
    for function in (MARK_RECEIPTS, MARK_FILES, COUNT_BOOKINGS):
        op.execute(function)
    op.execute(
        "REVOKE ALL ON FUNCTION budget.mark_receipts(), budget.mark_files(), budget.count_bookings() FROM PUBLIC"
    )
    for event, rows in (
        ("INSERT", "REFERENCING NEW TABLE AS later"),
        ("UPDATE", "REFERENCING OLD TABLE AS earlier NEW TABLE AS later"),
        ("DELETE", "REFERENCING OLD TABLE AS earlier"),
        ("TRUNCATE", ""),
    ):
        op.execute(
            f"CREATE TRIGGER count_{event.lower()} AFTER {event} ON budget.expenses {rows} "
            "FOR EACH STATEMENT EXECUTE FUNCTION budget.count_bookings()"
        )
    begin_counting(op.get_bind())


# They write with the rights of the owner, so that no role needs any on the tables that they fill. Names without a
# schema are those of the transition tables.
MARK_RECEIPTS = """
CREATE FUNCTION budget.mark_receipts() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    CASE TG_OP
        WHEN 'INSERT' THEN
            INSERT INTO ingest.changed_receipts SELECT source_sha256 FROM later;
        WHEN 'UPDATE' THEN
            INSERT INTO ingest.changed_receipts
            SELECT source_sha256 FROM earlier UNION SELECT source_sha256 FROM later;
        WHEN 'DELETE' THEN
            INSERT INTO ingest.changed_receipts SELECT source_sha256 FROM earlier;
        ELSE
            INSERT INTO ingest.changed_receipts SELECT source_sha256 FROM ingest.counted_receipts;
    END CASE;
    RETURN NULL;
END
$$
"""

MARK_FILES = """
CREATE FUNCTION budget.mark_files() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    CASE TG_OP
        WHEN 'INSERT' THEN
            INSERT INTO ingest.changed_receipts SELECT sha256 FROM later WHERE kind = 'source';
        WHEN 'UPDATE' THEN
            INSERT INTO ingest.changed_receipts
            SELECT sha256 FROM earlier WHERE kind = 'source' UNION SELECT sha256 FROM later WHERE kind = 'source';
        WHEN 'DELETE' THEN
            INSERT INTO ingest.changed_receipts SELECT sha256 FROM earlier WHERE kind = 'source';
        ELSE
            INSERT INTO ingest.changed_receipts SELECT source_sha256 FROM ingest.counted_receipts;
    END CASE;
    RETURN NULL;
END
$$
"""

COUNT_BOOKINGS = """
CREATE FUNCTION budget.count_bookings() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    CASE TG_OP
        WHEN 'INSERT' THEN
            INSERT INTO ingest.booking_counts SELECT exported_at IS NOT NULL, count(*) FROM later GROUP BY 1;
        WHEN 'UPDATE' THEN
            INSERT INTO ingest.booking_counts
            SELECT exported, sum(n) FROM (
                SELECT exported_at IS NOT NULL AS exported, -1 AS n FROM earlier
                UNION ALL SELECT exported_at IS NOT NULL, 1 FROM later
            ) AS each GROUP BY exported HAVING sum(n) <> 0;
        WHEN 'DELETE' THEN
            INSERT INTO ingest.booking_counts SELECT exported_at IS NOT NULL, -count(*) FROM earlier GROUP BY 1;
        ELSE
            INSERT INTO ingest.booking_counts SELECT exported, -sum(bookings) FROM ingest.booking_counts GROUP BY 1;
    END CASE;
    RETURN NULL;
END
$$
"""
