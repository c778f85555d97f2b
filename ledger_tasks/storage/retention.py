"""What housekeeping may take away: which sources and artifacts are still named, and rows that nobody needs any more."""

from collections.abc import Collection
from datetime import datetime
from typing import Final

from sqlalchemy import ARRAY, Connection, Text, bindparam, text


def claimed_sources(connection: Connection) -> dict[str, datetime]:
    """Return each source hash that an open lease or an unsettled dead letter names, and since when the oldest does.

    What the volume keeps for such a source (marker, budget, lock, artifact) stays, however old it is.
    """
    return {row.source_sha256: row.since for row in connection.execute(text(_CLAIMED))}


def named_artifacts(connection: Connection, hashes: Collection[str]) -> set[str]:
    """Return those of these content hashes that a row names: their files stay."""
    query = text("SELECT sha256 FROM budget.receipt_ocr_artifacts WHERE sha256 = ANY(:hashes)")
    typed = query.bindparams(bindparam("hashes", type_=ARRAY(Text)))
    return set(connection.execute(typed, {"hashes": list(hashes)}).scalars())


def forget_artifacts(connection: Connection, before: datetime) -> int:
    """Delete the artifact rows of replaced runs collected before then, and return how many.

    Those of the applied run stay, and all of a source that is claimed. A run that is gone has no rows to keep.
    """
    return connection.execute(text(_FORGET_ARTIFACTS), {"before": before}).rowcount


def forget_leases(connection: Connection, before: datetime) -> int:
    """Delete the leases that ended before then, and return how many."""
    query = text("DELETE FROM ingest.publications WHERE state = 'ended' AND ended_at < :before")
    return connection.execute(query, {"before": before}).rowcount


_CLAIMED: Final = """
SELECT source_sha256, min(since) AS since FROM (
    SELECT source_sha256, planned_at AS since FROM ingest.publications WHERE state <> 'ended'
    UNION ALL
    SELECT source_sha256, dead_at FROM budget.dead_letters
    WHERE state IN ('open', 'replaying') AND source_sha256 IS NOT NULL
) AS claims GROUP BY source_sha256
"""

_FORGET_ARTIFACTS: Final = """
DELETE FROM budget.receipt_ocr_artifacts AS artifact
USING budget.receipt_ocr_runs AS run
WHERE artifact.run_uuid = run.run_uuid AND NOT run.applied AND run.collected_at < :before
  AND NOT EXISTS (
      SELECT FROM ingest.publications p WHERE p.source_sha256 = run.source_sha256 AND p.state <> 'ended')
  AND NOT EXISTS (
      SELECT FROM budget.dead_letters d
      WHERE d.source_sha256 = run.source_sha256 AND d.state IN ('open', 'replaying'))
"""
