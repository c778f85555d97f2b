"""Result events come in; in one transaction each takes effect once; what became of each comes out."""

import logging
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DataError, IntegrityError

from contracts.receipts.results import ResultEvent, RunCompleted
from ledger_tasks.collector.arrived import Arrived, arrived
from ledger_tasks.collector.changes import Changes
from ledger_tasks.collector.effect import effect, lease_end
from ledger_tasks.collector.outcome import Applied, Duplicate, Outcome, Rejected
from ledger_tasks.collector.rounds import rounds
from ledger_tasks.collector.stored import look
from ledger_tasks.collector.text import printable
from ledger_tasks.storage.corrections import corrections
from ledger_tasks.storage.database import lock_sources, transaction
from ledger_tasks.storage.rebuild import fill_ingest

log = logging.getLogger(__name__)


def collect(events: Sequence[ResultEvent], engine: Engine, at: datetime) -> list[Outcome]:
    """Apply events in one transaction and return the outcome of each, in their order; `at` is the time of collecting.

    An event that breaks a rule of the tables is Rejected, the others are applied all the same.
    Raises Infrastructure when the database is away: then nothing was done and all may come again.
    """
    sources = sorted({event.source_sha256 for event in events})
    with transaction(engine) as connection:
        lock_sources(connection, sources)
        said = corrections(connection, sources)
        all_arrived = [arrived(printable(event), said.get(event.source_sha256, ())) for event in events]
        lock_sources(connection, {each.booking for each in all_arrived if each.booking})
        outcomes: dict[int, Outcome] = {}
        for together in rounds(enumerate(all_arrived), key=lambda numbered: numbered[1].keys):
            outcomes |= _guarded(connection, dict(together), at)
    return [outcomes[number] for number in range(len(events))]


def _guarded(connection: Connection, together: dict[int, Arrived], at: datetime) -> dict[int, Outcome]:
    """Apply a round in one savepoint; when a rule of a table breaks, its halves, down to the event that breaks it."""
    try:
        with connection.begin_nested():
            return _apply(connection, together, at)
    except (IntegrityError, DataError) as error:
        if len(together) == 1:
            return dict.fromkeys(together, Rejected(_rule(error)))
    each = list(together.items())
    half = len(each) // 2
    return _guarded(connection, dict(each[:half]), at) | _guarded(connection, dict(each[half:]), at)


def _apply(connection: Connection, together: dict[int, Arrived], at: datetime) -> dict[int, Outcome]:
    stored = look(connection, list(together.values()))
    changes = Changes()
    outcomes: dict[int, Outcome] = {}
    for number, each in together.items():
        first = stored.digests.get(each.event.message_id)
        if first is None:
            outcomes[number] = effect(each, stored.known(each.event), stored.likeness(each.event), changes, at)
        else:
            outcomes[number] = _again(each, first, changes, at)
    changes.write(connection)
    kept = {each.event.source_sha256 for number, each in together.items() if outcomes[number] != Applied()}
    if lacking := [source for source in kept if stored.statuses.get(source) is None]:
        fill_ingest(connection, lacking)
    return outcomes


def _again(each: Arrived, first: str, changes: Changes, at: datetime) -> Duplicate:
    """Note that an event came again: it ends the lease of the publication that brought it, and changes nothing else."""
    if isinstance(each.event, RunCompleted):
        changes.lease_ends.append(lease_end(each.event, at))
    if first != each.digest:
        log.warning(
            "an event id came with two contents; the first stays",
            extra={"message_id": each.event.message_id, "first": first, "second": each.digest},
        )
    return Duplicate(differs=first != each.digest)


def _rule(error: IntegrityError | DataError) -> str:
    """Name the broken rule without quoting the receipt."""
    diagnosis = getattr(error.orig, "diag", None)
    return f"{type(error.orig).__name__} {getattr(diagnosis, 'constraint_name', None) or ''}".strip()
