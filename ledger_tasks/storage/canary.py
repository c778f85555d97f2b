"""The canary's flights: whether the next one is due is decided here, and how long it has not been seen."""

from typing import Final

from sqlalchemy import Connection, bindparam, text


def plan_flight(
    connection: Connection, sha256: str, reference: str, publication: str, request_id: str, period_seconds: float
) -> bool:
    """Open the lease of the next flight; False while the last one is in the air, or not long enough ago."""
    known = {"sha256": sha256, "reference": reference}
    connection.execute(text(_KNOWN), known)
    flight = {"sha256": sha256, "publication": publication, "request": request_id, "period": period_seconds}
    return connection.execute(text(_PLAN), flight).rowcount == 1


def unseen_seconds(connection: Connection, reference: str) -> float | None:
    """Return how long ago the collector last committed a flight, or, when none ever arrived, since when one is due.

    None where no canary ever flew: then nobody wants one.
    """
    seen = text(_SEEN).bindparams(bindparam("reference", reference, literal_execute=True))
    found = connection.execute(seen).scalar()
    return None if found is None else float(found)


_KNOWN: Final = """
INSERT INTO ingest.receipts (source_sha256, source_reference) VALUES (:sha256, :reference) ON CONFLICT DO NOTHING
"""

_PLAN: Final = """
INSERT INTO ingest.publications AS last (source_sha256, purpose, publication, request_id, state, planned_at)
VALUES (:sha256, 'cache_only', CAST(:publication AS uuid), CAST(:request AS uuid), 'planned', now())
ON CONFLICT (source_sha256, purpose) DO UPDATE SET
    publication = excluded.publication, request_id = excluded.request_id, state = 'planned',
    planned_at = excluded.planned_at, confirmed_at = NULL, ended_at = NULL, end_reason = NULL
WHERE last.state = 'ended' AND last.planned_at < now() - make_interval(secs => :period)
"""

_SEEN: Final = """
SELECT extract(epoch FROM now() - coalesce(
    (SELECT max(completed_at) FROM budget.receipt_cache_requests arrived
     WHERE arrived.source_sha256 = canary.source_sha256 AND outcome = 'cache_rebuilt'),
    (SELECT flight.planned_at FROM ingest.publications flight
     WHERE flight.source_sha256 = canary.source_sha256 AND purpose = 'cache_only')))
FROM ingest.receipts canary WHERE source_reference = :reference
"""
"""The path stands in the text: an index is there for it."""
