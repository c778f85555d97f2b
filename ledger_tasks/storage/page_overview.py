"""The overview of the pages: how many receipts stand where and since when, and what was finished hour by hour."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from sqlalchemy import Connection, text


@dataclass(frozen=True)
class Counts:
    """How many receipts stand where; `*_since` is the oldest of them, None when there is none."""

    known: int
    in_flight: int
    in_flight_since: datetime | None
    done: int
    review: int
    review_since: datetime | None
    failed: int
    dead: int
    dead_since: datetime | None
    booked: int
    unexported: int
    recognition_open: int
    recognition_failed: int

    @property
    def unaccounted(self) -> int:
        """Return the receipts that are neither finished, failed nor on their way: the next scan publishes them."""
        return max(0, self.known - self.done - self.review - self.failed - self.in_flight)


class Hour(NamedTuple):
    """What ended within one hour that begins at `at`."""

    at: datetime
    done: int
    review: int
    failed: int


def load_counts(connection: Connection, canary: str) -> Counts:
    """Return where everything stands now; the path of the canary is nobody's receipt."""
    return Counts(**connection.execute(text(_COUNTS), {"canary": canary}).one()._asdict())


def load_hours(connection: Connection) -> list[Hour]:
    """Return the last 24 hours, the oldest first; an hour in which nothing ended is there too."""
    return [Hour(*row) for row in connection.execute(text(_HOURS))]


_COUNTS: Final = """
WITH status AS (
    SELECT status, count(*) AS receipts, min(updated_at) AS since FROM ingest.receipt_processing_status GROUP BY status
),
way AS (
    SELECT count(DISTINCT lease.source_sha256) AS receipts, min(lease.planned_at) AS since
    FROM ingest.publications lease
    LEFT JOIN ingest.receipt_processing_status stands USING (source_sha256)
    WHERE lease.state <> 'ended' AND coalesce(stands.status, 'processing') = 'processing'
),
letters AS (
    SELECT count(*) AS letters, min(dead_at) AS since FROM budget.dead_letters WHERE state IN ('open', 'replaying')
)
SELECT
    (SELECT count(*) FROM ingest.receipts WHERE source_reference <> :canary) AS known,
    way.receipts AS in_flight,
    way.since AS in_flight_since,
    coalesce((SELECT receipts FROM status WHERE status = 'succeeded'), 0) AS done,
    coalesce((SELECT receipts FROM status WHERE status = 'review_required'), 0) AS review,
    (SELECT since FROM status WHERE status = 'review_required') AS review_since,
    coalesce((SELECT receipts FROM status WHERE status = 'failed'), 0) AS failed,
    letters.letters AS dead,
    letters.since AS dead_since,
    (SELECT count(*) FROM budget.expenses) AS booked,
    (SELECT count(*) FROM budget.expenses WHERE exported_at IS NULL) AS unexported,
    (SELECT count(*) FROM recognition.stored_file WHERE status IN ('UPLOADED', 'PROCESSING')) AS recognition_open,
    (SELECT count(*) FROM recognition.stored_file WHERE status = 'ERROR') AS recognition_failed
FROM way, letters
"""

_HOURS: Final = """
SELECT
    hour AS at,
    count(*) FILTER (WHERE status = 'succeeded') AS done,
    count(*) FILTER (WHERE status = 'review_required') AS review,
    count(*) FILTER (WHERE status = 'failed') AS failed
FROM generate_series(date_trunc('hour', now()) - interval '23 hours', date_trunc('hour', now()), interval '1 hour') hour
LEFT JOIN ingest.receipt_processing_status ended
    ON ended.status IN ('succeeded', 'review_required', 'failed')
    AND ended.updated_at >= date_trunc('hour', now()) - interval '23 hours'
    AND date_trunc('hour', ended.updated_at) = hour
GROUP BY hour
ORDER BY hour
"""
