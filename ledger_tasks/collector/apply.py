"""Result events come in; in one transaction each takes effect once; what became of each comes out."""

import logging
from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DataError, IntegrityError

from contracts.receipts.results import PassCompleted, ResultEvent, RunCompleted
from ledger_tasks.collector.arrived import Arrived, arrived
from ledger_tasks.collector.changes import Changes
from ledger_tasks.collector.effect import effect, lease_end
from ledger_tasks.collector.judge import Known
from ledger_tasks.collector.outcome import Applied, Duplicate, Outcome, Rejected
from ledger_tasks.collector.rounds import rounds
from ledger_tasks.collector.text import printable
from ledger_tasks.storage import evidence, expenses, requests, runs, status
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
    situation = _Situation(connection, list(together.values()))
    changes = Changes()
    outcomes: dict[int, Outcome] = {}
    for number, each in together.items():
        first = situation.stored.get(each.event.message_id)
        if first is None:
            known, like = situation.known(each.event), situation.like.get(each.event.source_sha256, expenses.Likeness())
            outcomes[number] = effect(each, known, like, changes, at)
        else:
            outcomes[number] = _again(each, first, changes, at)
    changes.write(connection)
    settled = {
        each.event.source_sha256 for number, each in together.items() if not isinstance(outcomes[number], Applied)
    }
    if lacking := [source for source in settled if situation.statuses.get(source) is None]:
        fill_ingest(connection, lacking)
    return outcomes


class _Situation:
    """What is stored about the sources of some events, read in a few statements under their locks."""

    def __init__(self, connection: Connection, together: Sequence[Arrived]) -> None:
        sources = sorted({each.event.source_sha256 for each in together})
        facts = {each.event.source_sha256: each.reading.facts for each in together if each.reading}
        self.stored = runs.digests(connection, [each.event.message_id for each in together])
        self.applied = evidence.applied(connection, sources)
        self.statuses = status.statuses(connection, sources)
        self.requests = requests.outcomes(connection, {key for each in together if (key := _request(each.event))})
        self.like = expenses.likeness(connection, {source: each for source, each in facts.items() if each})

    def known(self, event: ResultEvent) -> Known:
        """Return what is known of an event's source and request."""
        source, key = event.source_sha256, _request(event)
        return Known(self.applied.get(source), self.requests.get(key) if key else None, self.statuses.get(source))


def _request(event: ResultEvent) -> tuple[str, str, str] | None:
    if isinstance(event, PassCompleted) or event.payload.request_id is None:
        return None
    return event.payload.persistence_mode, event.source_sha256, event.payload.request_id


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
