"""The retention rule: volumes and a database come in, what nobody needs any more goes, and counts come out."""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

from sqlalchemy import Engine

from ledger_tasks.files import old
from ledger_tasks.storage import retention
from ledger_tasks.storage.database import transaction

DAY_SECONDS: Final = 86_400


@dataclass(frozen=True, slots=True)
class Swept:
    """How much was removed."""

    files: int
    batches: int
    artifacts: int
    leases: int


def is_due(cache: Path) -> bool:
    """Say whether a sweep may begin: at most once a day, by the volume's own clock. Raises Infrastructure."""
    last = old.last_swept(cache)
    return last is None or old.volume_time(cache) - last >= DAY_SECONDS


def sweep(cache: Path, engine: Engine, days: int) -> Swept:
    """Remove what is older than `days`, but nothing of a source that a lease or a dead letter names.

    A message that waits in the retry queue wrote its budget when it failed, a minute ago: that is not old. Raises
    Infrastructure.
    """
    before = old.begin_sweep(cache) - days * DAY_SECONDS
    with transaction(engine) as connection:
        claimed = retention.claimed_sources(connection)
        retention.forget_artifacts(connection, datetime.fromtimestamp(before, UTC))
        leases = retention.forget_leases(connection, datetime.fromtimestamp(before, UTC))
    with transaction(engine) as connection:
        artifacts = old.remove_artifacts(cache, before, partial(retention.named_artifacts, connection))
    sources = [each for each in old.old_sources(cache, before) if each not in claimed]
    files = sum(old.remove_source(cache, each, before) for each in sources)
    return Swept(files, old.remove_batches(cache, before), artifacts, leases)
