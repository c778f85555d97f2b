"""A plan comes in; caches are back at their paths and the database is ready for the scan that queues the rest."""

from pathlib import Path

from sqlalchemy import Engine

from ledger_tasks.files.artifacts import put_back
from ledger_tasks.rederive.plan import Plan
from ledger_tasks.storage.database import lock_sources, transaction
from ledger_tasks.storage.rederive import forget_lost
from ledger_tasks.storage.schema import rebuild_ingest

PAGE = 500
"""Sources whose locks one transaction holds."""


def carry_out(engine: Engine, cache: Path, plan: Plan, *, lock_seconds: float) -> None:
    """Put caches back, forget what hides lost readings, and build schema `ingest` anew. Cut short, run it again.

    Corrections and bookings stay: a reading that comes back is corrected and finds its booking by the hash.
    Raises Infrastructure.
    """
    for source, artifact in plan.put_back:
        put_back(cache, source.sha256, source.reference, artifact, lock_seconds=lock_seconds)
    lost = [source.sha256 for source in plan.lost]
    for start in range(0, len(lost), PAGE):
        with transaction(engine) as connection:
            lock_sources(connection, lost[start : start + PAGE])
            forget_lost(connection, lost[start : start + PAGE])
    rebuild_ingest(engine)
