"""Which sources have a reading comes out; of those whose reading is lost, what stood in the way of a new one goes."""

from collections.abc import Collection
from typing import Final

from sqlalchemy import ARRAY, Connection, Text, bindparam, text


def readings(connection: Connection) -> dict[str, str]:
    """Return each source hash whose reading stands, with the hash of the newest cache that a run made of it, or ''."""
    return {row[0]: row[1] for row in connection.execute(text(_READINGS))}


def corrected(connection: Connection) -> set[str]:
    """Return the source hashes about which a person has said something."""
    return set(connection.execute(text("SELECT DISTINCT source_sha256 FROM budget.receipt_corrections")).scalars())


def dead(connection: Connection) -> set[str]:
    """Return the source hashes that an unsettled dead letter names: they wait for a person, not for a scan."""
    return set(connection.execute(text(_DEAD)).scalars())


def forget_lost(connection: Connection, sources: Collection[str]) -> None:
    """Delete runs, passes and events of those sources that have no reading; failures stay.

    An event that is stored already is never applied again: without this, a reading that is told again stays lost.
    """
    for statement in _FORGET:
        typed = text(statement + _NO_READING).bindparams(bindparam("sources", type_=ARRAY(Text)))
        connection.execute(typed, {"sources": sorted(sources)})


_READINGS: Final = """
SELECT evidence.source_sha256, coalesce((
    SELECT cache_sha256 FROM budget.receipt_ocr_runs AS run
    WHERE run.source_sha256 = evidence.source_sha256 ORDER BY generation DESC LIMIT 1
), '') FROM budget.receipt_evidence AS evidence
"""

_DEAD: Final = """
SELECT source_sha256 FROM budget.dead_letters
WHERE state IN ('open', 'replaying') AND family = 'receipts.v1' AND source_sha256 IS NOT NULL
"""

_FORGET: Final = (
    "DELETE FROM budget.receipt_ocr_passes AS lost WHERE",
    "DELETE FROM budget.receipt_ocr_runs AS lost WHERE",
    "DELETE FROM budget.ocr_result_events AS lost WHERE event_type <> 'ocr.run-failed.v1' AND",
)

_NO_READING: Final = """ source_sha256 = ANY(:sources)
  AND NOT EXISTS (SELECT FROM budget.receipt_evidence AS evidence WHERE evidence.source_sha256 = lost.source_sha256)
"""
