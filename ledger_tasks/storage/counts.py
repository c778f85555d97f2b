"""How many receipts, files and bookings stand where, at the cost of those that changed since the sums were made."""

from typing import Final

from sqlalchemy import Connection, Engine, text

from ledger_tasks.storage.database import transaction

_LOCK: Final = 7_236_831_004_117_004
"""Key of the advisory lock of `fold`; any constant, the same in every process."""


def standing_of(keys: str) -> str:
    """Return SQL: source_sha256, state and files as they are now, of each receipt in the relation `keys`.

    Subqueries, because they are always looked up by index; a join may be planned as a read of all rows. The kind is
    no condition: beside stale statistics it was taken for rare, and its index was read instead.
    """
    return f"""
    SELECT
        source_sha256,
        coalesce((
            SELECT status FROM ingest.receipt_processing_status AS stands
            WHERE stands.source_sha256 = {keys}.source_sha256
        ), 'known') AS state,
        (SELECT count(*) FILTER (WHERE kind = 'source') FROM ingest.source_index AS file
         WHERE file.sha256 = {keys}.source_sha256) AS files
    FROM {keys}
    WHERE (SELECT true FROM ingest.receipts AS known WHERE known.source_sha256 = {keys}.source_sha256)
    """  # noqa: S608 (a name of this program)


_CHANGE: Final = f"""
changed AS MATERIALIZED (SELECT DISTINCT source_sha256 FROM {{changes}}),
later AS MATERIALIZED ({standing_of("changed")}),
earlier AS MATERIALIZED (
    SELECT source_sha256, counted.state, counted.files
    FROM changed CROSS JOIN LATERAL (
        SELECT state, files FROM ingest.counted_receipts AS old
        WHERE old.source_sha256 = changed.source_sha256 OFFSET 0
    ) AS counted
),
difference AS (
    SELECT state, sum(n)::bigint AS receipts, sum(n * files)::bigint AS files
    FROM (SELECT state, files, 1 AS n FROM later UNION ALL SELECT state, files, -1 FROM earlier) AS change
    GROUP BY state
)
"""  # noqa: S608 (constants of this file)

STANDING: Final = f"""
{_CHANGE.format(changes="ingest.changed_receipts")},
standing AS (
    SELECT state, sum(receipts)::bigint AS receipts, sum(files)::bigint AS files
    FROM (SELECT * FROM ingest.receipt_counts UNION ALL SELECT * FROM difference) AS part
    GROUP BY state
)
"""  # noqa: S608 (constants of this file)
"""For a WITH: the relation `standing` (state, receipts, files) says how many there are, at this moment and exactly."""

BOOKINGS: Final = "SELECT exported, sum(bookings)::bigint AS bookings FROM ingest.booking_counts GROUP BY exported"


def fold(engine: Engine) -> None:
    """Bring the sums up to date, so that readers have little to look up. Raises Infrastructure.

    A statement sees a change if and only if it sees its mark, and takes no mark away that it does not see: what is
    committed meanwhile waits for the next time.
    """
    with transaction(engine) as connection:
        connection.execute(text("SET LOCAL statement_timeout = 0"))
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        connection.execute(text(_FOLD_RECEIPTS))
        connection.execute(text(_FOLD_BOOKINGS))


def differing(connection: Connection) -> list[str]:
    """Count everything and say where the sums tell another number, as the transaction sees both."""
    return [f"{row.what}: {row.told} instead of {row.there}" for row in connection.execute(text(_DIFFERING))]


_FOLD_RECEIPTS: Final = f"""
WITH taken AS (DELETE FROM ingest.changed_receipts RETURNING source_sha256),
{_CHANGE.format(changes="taken")},
gone AS (
    DELETE FROM ingest.counted_receipts USING earlier LEFT JOIN later USING (source_sha256)
    WHERE counted_receipts.source_sha256 = earlier.source_sha256 AND later.source_sha256 IS NULL
),
kept AS (
    INSERT INTO ingest.counted_receipts AS old (source_sha256, state, files)
    SELECT source_sha256, state, files FROM later
    ON CONFLICT (source_sha256) DO UPDATE SET state = excluded.state, files = excluded.files
    WHERE (old.state, old.files) <> (excluded.state, excluded.files)
)
INSERT INTO ingest.receipt_counts AS sums (state, receipts, files)
SELECT state, receipts, files FROM difference WHERE receipts <> 0 OR files <> 0
ON CONFLICT (state) DO UPDATE SET receipts = sums.receipts + excluded.receipts, files = sums.files + excluded.files
"""  # noqa: S608 (constants of this file)

_FOLD_BOOKINGS: Final = f"""
WITH taken AS (DELETE FROM ingest.booking_counts RETURNING exported, bookings)
INSERT INTO ingest.booking_counts ({BOOKINGS.replace("ingest.booking_counts", "taken")})
"""  # noqa: S608 (constants of this file)

_DIFFERING: Final = f"""
WITH {STANDING},
told AS (
    SELECT 'receipts ' || state AS what, receipts AS n FROM standing
    UNION ALL SELECT 'files of receipts ' || state, files FROM standing
    UNION ALL SELECT CASE WHEN exported THEN 'bookings exported' ELSE 'bookings not exported' END, bookings
    FROM ({BOOKINGS}) AS booked
),
receipts AS (
    SELECT source_sha256, coalesce(status, 'known') AS state
    FROM ingest.receipts LEFT JOIN ingest.receipt_processing_status USING (source_sha256)
),
there AS (
    SELECT 'receipts ' || state AS what, count(*) AS n FROM receipts GROUP BY state
    UNION ALL SELECT 'files of receipts ' || state, count(*)
    FROM receipts JOIN ingest.source_index ON sha256 = source_sha256 AND kind = 'source' GROUP BY state
    UNION ALL SELECT CASE WHEN exported_at IS NULL THEN 'bookings not exported' ELSE 'bookings exported' END, count(*)
    FROM budget.expenses GROUP BY 1
)
SELECT what, coalesce(told.n, 0) AS told, coalesce(there.n, 0) AS there
FROM told FULL JOIN there USING (what) WHERE coalesce(told.n, 0) <> coalesce(there.n, 0) ORDER BY what
"""  # noqa: S608 (constants of this file)
