"""What schema `ingest` keeps so that nobody must count all rows: tables, and the triggers that fill them.

A transaction that changes a receipt, its status or its files only appends the hash to `changed_receipts`: writers never
wait for one another. Whoever reads looks those receipts up anew and takes the rest from the sums; `counted_receipts`
says what the sums hold of each. Housekeeping brings the sums up to date. Bookings are counted by differences.
"""

from typing import Final

from sqlalchemy import BigInteger, Boolean, Column, Connection, Integer, Table, Text, text

from db.base import metadata
from db.receipts import INGEST

changed_receipts = Table("changed_receipts", metadata, Column("source_sha256", Text, nullable=False), schema=INGEST)
"""A hash whose receipt, status or files changed since they were counted; it may stand here many times."""

counted_receipts = Table(
    "counted_receipts",
    metadata,
    Column("source_sha256", Text, primary_key=True),
    Column("state", Text, nullable=False, comment="status, or `known` without one"),
    Column("files", Integer, nullable=False, comment="files with this content as the last scan saw them"),
    schema=INGEST,
)
"""What the sums hold of each receipt. No foreign key: a receipt that is gone is still to be taken out."""

receipt_counts = Table(
    "receipt_counts",
    metadata,
    Column("state", Text, primary_key=True),
    Column("receipts", BigInteger, nullable=False),
    Column("files", BigInteger, nullable=False),
    schema=INGEST,
)
"""The sums of `counted_receipts` by state."""

booking_counts = Table(
    "booking_counts",
    metadata,
    Column("exported", Boolean, nullable=False),
    Column("bookings", BigInteger, nullable=False, comment="a difference: the sum of all is the number"),
    schema=INGEST,
)
"""How many bookings came and went, by whether they were exported."""


def begin_counting(connection: Connection) -> None:
    """Set the triggers of schema `ingest` and let everything be counted; the tables above were just made, empty.

    Those of the bookings are made by revision 0008 and stay when `ingest` is made anew.
    """
    connection.exec_driver_sql(_TRIGGERS, execution_options={"no_parameters": True})
    connection.execute(text(_RECEIPTS))
    connection.execute(text(_BOOKINGS))


_RECEIPTS: Final = "INSERT INTO ingest.changed_receipts SELECT source_sha256 FROM ingest.receipts"

_BOOKINGS: Final = """
INSERT INTO ingest.booking_counts SELECT exported_at IS NOT NULL, count(*) FROM budget.expenses GROUP BY 1
"""

_TRIGGERS: Final = """
DO $$
DECLARE
    place record;
    event record;
BEGIN
    FOR place IN VALUES
        ('ingest.receipts', 'budget.mark_receipts'),
        ('ingest.receipt_processing_status', 'budget.mark_receipts'),
        ('ingest.source_index', 'budget.mark_files')
    LOOP
        FOR event IN VALUES
            ('INSERT', 'REFERENCING NEW TABLE AS later'),
            ('UPDATE', 'REFERENCING OLD TABLE AS earlier NEW TABLE AS later'),
            ('DELETE', 'REFERENCING OLD TABLE AS earlier'),
            ('TRUNCATE', '')
        LOOP
            EXECUTE format('CREATE TRIGGER count_%s AFTER %s ON %s %s FOR EACH STATEMENT EXECUTE FUNCTION %s()',
                lower(event.column1), event.column1, place.column1, event.column2, place.column2);
        END LOOP;
    END LOOP;
END
$$
"""
