"""Leases: who may publish a hash for which purpose, by compare-and-set; times are the database's own."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from sqlalchemy import ARRAY, Connection, DateTime, Text, TextClause, bindparam, text

PLANNED_SECONDS: Final = 300
"""After this a lease that was never confirmed is over: its publisher died between planning and confirming."""


class Lease(NamedTuple):
    """A publication that is about to happen; `completed_at` is what the first look found (None: not completed)."""

    sha256: str
    publication: str
    request_id: str | None
    completed_at: datetime | None

    @property
    def purpose(self) -> str:
        """Return the persistence mode of the work."""
        return "reprocess" if self.request_id else "normal"


def end_overdue(connection: Connection, lease_seconds: float) -> int:
    """End the leases whose time is over, so that every open one counts; return how many there were."""
    return connection.execute(text(_OVERDUE), {"lease": lease_seconds, "planned": PLANNED_SECONDS}).rowcount


def end_all(connection: Connection) -> int:
    """End every open lease, because the broker lost what it was given; return how many there were."""
    return connection.execute(text(_EPOCH)).rowcount


def plan_leases(connection: Connection, leases: Sequence[Lease], *, ignore_open: bool = False) -> set[str]:
    """Open leases and return the publications that got theirs.

    A hash with an open lease, or whose receipt was completed or stopped being complete since the first look, gets
    none. One hash may stand in `leases` once.
    """
    rows = sorted(leases)
    values = {
        "hashes": [each.sha256 for each in rows],
        "purposes": [each.purpose for each in rows],
        "publications": [each.publication for each in rows],
        "requests": [each.request_id for each in rows],
        "completions": [each.completed_at for each in rows],
        "ignore_open": ignore_open,
    }
    return set(connection.execute(_typed(_PLAN), values).scalars())


def confirm_leases(connection: Connection, publications: Sequence[str]) -> None:
    """Say that the broker has confirmed these publications; one that has ended meanwhile stays ended."""
    connection.execute(_typed(_CONFIRM), {"publications": list(publications)})


def withdraw_leases(connection: Connection, publications: Sequence[str]) -> None:
    """End leases whose publication certainly did not happen."""
    connection.execute(_typed(_WITHDRAW), {"publications": list(publications)})


_OVERDUE: Final = """
UPDATE ingest.publications
SET state = 'ended', ended_at = now(), end_reason = CASE state WHEN 'planned' THEN 'unconfirmed' ELSE 'expired' END
WHERE (state = 'planned' AND planned_at < now() - make_interval(secs => :planned))
   OR (state = 'confirmed' AND confirmed_at < now() - make_interval(secs => :lease))
"""

_EPOCH: Final = """
UPDATE ingest.publications SET state = 'ended', ended_at = now(), end_reason = 'epoch' WHERE state <> 'ended'
"""

_PLAN: Final = """
INSERT INTO ingest.publications (source_sha256, purpose, publication, request_id, state, planned_at)
SELECT wanted.sha256, purpose, publication::uuid, request::uuid, 'planned', now()
FROM unnest(:hashes, :purposes, :publications, :requests, :completions)
    AS wanted (sha256, purpose, publication, request, completed_at)
LEFT JOIN ingest.receipt_processing_status AS state ON state.source_sha256 = wanted.sha256
WHERE state.completed_at IS NOT DISTINCT FROM wanted.completed_at
  AND (:ignore_open OR NOT EXISTS (
      SELECT FROM ingest.publications AS other WHERE other.source_sha256 = wanted.sha256 AND other.state <> 'ended'
  ))
ORDER BY wanted.sha256
ON CONFLICT (source_sha256, purpose) DO UPDATE SET
    publication = excluded.publication, request_id = excluded.request_id, state = 'planned',
    planned_at = excluded.planned_at, confirmed_at = NULL, ended_at = NULL, end_reason = NULL
WHERE publications.state = 'ended' OR :ignore_open
RETURNING publication::text
"""

_MINE: Final = """
WITH mine AS (
    SELECT source_sha256, purpose FROM ingest.publications
    WHERE publication = ANY(CAST(:publications AS uuid[])) AND state = 'planned'
    ORDER BY source_sha256, purpose FOR UPDATE
)
"""
"""Locked by hash, as the collector locks them too, so that a scan and a collector never wait for each other."""

_CONFIRM: Final = f"""{_MINE}
UPDATE ingest.publications AS lease SET state = 'confirmed', confirmed_at = now()
FROM mine WHERE lease.source_sha256 = mine.source_sha256 AND lease.purpose = mine.purpose
"""  # noqa: S608 (constants of this file)

_WITHDRAW: Final = f"""{_MINE}
UPDATE ingest.publications AS lease SET state = 'ended', ended_at = now(), end_reason = 'unconfirmed'
FROM mine WHERE lease.source_sha256 = mine.source_sha256 AND lease.purpose = mine.purpose
"""  # noqa: S608 (constants of this file)


def _typed(statement: str) -> TextClause:
    arrays = {name: ARRAY(Text) for name in ("hashes", "purposes", "publications", "requests")}
    arrays_and_times = arrays | {"completions": ARRAY(DateTime(timezone=True))}
    named = [bindparam(name, type_=kind) for name, kind in arrays_and_times.items() if f":{name}" in statement]
    return text(statement).bindparams(*named)
