"""How many receipts stand where, and how long the oldest has waited: the numbers of `ledger status`."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, text

from ledger_tasks.storage.counts import STANDING, standing_of


@dataclass(frozen=True)
class Standing:
    """Files of the last scan by where their receipt stands; each is in exactly one number."""

    done: int
    review: int
    in_flight: int
    dead: int
    known: int
    """Known and in none of the others: failed without a letter, or never published."""


@dataclass(frozen=True)
class Waiting:
    """Open leases: how many receipts, the age of the oldest in seconds, and the oldest hashes (1000 at most)."""

    unique: int
    oldest_seconds: float | None
    oldest: tuple[str, ...]


def standing(connection: Connection) -> Standing:
    """Count the files by where their receipt stands now; a file that was taken away counts no more."""
    found = {row.place: int(row.files) for row in connection.execute(text(_STANDING))}
    return Standing(**{name: found.get(name, 0) for name in Standing.__dataclass_fields__})


def waiting(connection: Connection) -> Waiting:
    """Tell of the receipts that were published and have not ended."""
    row = connection.execute(text(_WAITING)).one()
    return Waiting(int(row.unique), None if row.oldest is None else float(row.oldest), tuple(row.hashes or ()))


_STANDING: Final = f"""
WITH {STANDING},
claimed AS MATERIALIZED (
    SELECT source_sha256, bool_or(leased) AS leased FROM (
        SELECT source_sha256, true AS leased FROM ingest.publications WHERE state <> 'ended'
        UNION ALL
        SELECT source_sha256, false FROM budget.dead_letters
        WHERE state IN ('open', 'replaying') AND source_sha256 IS NOT NULL
    ) AS claim GROUP BY source_sha256
),
moved AS MATERIALIZED ({standing_of("claimed")})
SELECT CASE state
    WHEN 'leased' THEN 'in_flight'
    WHEN 'succeeded' THEN 'done'
    WHEN 'review_required' THEN 'review'
    WHEN 'failed' THEN 'dead'
    ELSE 'known' END AS place,
    sum(files) AS files
FROM (
    SELECT state, files FROM standing
    UNION ALL SELECT state, -files FROM moved
    UNION ALL SELECT
        CASE WHEN leased THEN 'leased' WHEN state IN ('succeeded', 'review_required') THEN state ELSE 'failed' END,
        files
    FROM moved JOIN claimed USING (source_sha256)
) AS part
GROUP BY place
"""  # noqa: S608 (constants of this program)
"""Open leases and unsettled letters are few: their receipts are taken out of the sums and counted where they belong."""

_WAITING: Final = """
SELECT count(DISTINCT source_sha256) AS unique,
    extract(epoch FROM now() - min(coalesce(confirmed_at, planned_at))) AS oldest,
    ARRAY(
        SELECT source_sha256 FROM ingest.publications WHERE state <> 'ended' ORDER BY planned_at LIMIT 1000
    ) AS hashes
FROM ingest.publications WHERE state <> 'ended'
"""
