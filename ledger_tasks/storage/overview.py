"""How many receipts stand where, and how long the oldest has waited: the numbers of `ledger status`."""

from dataclasses import dataclass

from sqlalchemy import Connection, text


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
    found: dict[str, int] = dict(connection.execute(text(_STANDING)).tuples().all())
    return Standing(**{name: int(found.get(name, 0)) for name in Standing.__dataclass_fields__})


def waiting(connection: Connection) -> Waiting:
    """Tell of the receipts that were published and have not ended."""
    row = connection.execute(text(_WAITING)).one()
    return Waiting(int(row.unique), None if row.oldest is None else float(row.oldest), tuple(row.hashes or ()))


_STANDING = """
SELECT CASE
    WHEN lease.source_sha256 IS NOT NULL THEN 'in_flight'
    WHEN state.status = 'succeeded' THEN 'done'
    WHEN state.status = 'review_required' THEN 'review'
    WHEN state.status = 'failed' OR letter.source_sha256 IS NOT NULL THEN 'dead'
    ELSE 'known' END AS place,
    count(*)
FROM ingest.receipt_paths AS path
JOIN ingest.source_index AS file ON file.kind = 'source' AND file.path = path.source_reference
LEFT JOIN ingest.receipt_processing_status AS state USING (source_sha256)
LEFT JOIN (SELECT DISTINCT source_sha256 FROM ingest.publications WHERE state <> 'ended') AS lease USING (source_sha256)
LEFT JOIN (SELECT DISTINCT source_sha256 FROM budget.dead_letters WHERE state IN ('open', 'replaying')) AS letter
    USING (source_sha256)
GROUP BY place
"""

_WAITING = """
SELECT count(DISTINCT source_sha256) AS unique,
    extract(epoch FROM now() - min(coalesce(confirmed_at, planned_at))) AS oldest,
    ARRAY(
        SELECT source_sha256 FROM ingest.publications WHERE state <> 'ended' ORDER BY planned_at LIMIT 1000
    ) AS hashes
FROM ingest.publications WHERE state <> 'ended'
"""
