"""The overview of the pages: how many receipts stand where and since when, and what was finished hour by hour."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from sqlalchemy import Connection, bindparam, text

from ledger_tasks.storage.counts import BOOKINGS, STANDING


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
    counted = text(_COUNTS).bindparams(bindparam("canary", canary, literal_execute=True))
    return Counts(**connection.execute(counted).one()._asdict())


def load_hours(connection: Connection) -> list[Hour]:
    """Return the last 24 hours, the oldest first; an hour in which nothing ended is there too."""
    return [Hour(*row) for row in connection.execute(text(_HOURS))]


_COUNTS: Final = f"""
WITH {STANDING},
bookings AS ({BOOKINGS}),
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
    coalesce((SELECT sum(receipts) FROM standing), 0)::bigint
        - (SELECT count(*) FROM ingest.receipts WHERE source_reference = :canary) AS known,
    way.receipts AS in_flight,
    way.since AS in_flight_since,
    coalesce((SELECT receipts FROM standing WHERE state = 'succeeded'), 0) AS done,
    coalesce((SELECT receipts FROM standing WHERE state = 'review_required'), 0) AS review,
    (SELECT min(updated_at) FROM ingest.receipt_processing_status WHERE status = 'review_required') AS review_since,
    coalesce((SELECT receipts FROM standing WHERE state = 'failed'), 0) AS failed,
    letters.letters AS dead,
    letters.since AS dead_since,
    coalesce((SELECT sum(bookings) FROM bookings), 0)::bigint AS booked,
    coalesce((SELECT bookings FROM bookings WHERE NOT exported), 0) AS unexported,
    (SELECT count(*) FROM recognition.stored_file WHERE status = 'UPLOADED')
        + (SELECT count(*) FROM recognition.stored_file WHERE status = 'PROCESSING') AS recognition_open,
    (SELECT count(*) FROM recognition.stored_file WHERE status = 'ERROR') AS recognition_failed
FROM way, letters
"""  # noqa: S608 (constants of this program)
"""Each part is looked up by an index or a sum; the path of the canary stands in the text, as in its index."""

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
