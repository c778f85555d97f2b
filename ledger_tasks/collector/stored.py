"""What is stored about the sources of some events: a few statements under their locks, then answers by event."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from contracts.receipts.results import PassCompleted, ResultEvent
from ledger_tasks.collector.arrived import Arrived
from ledger_tasks.collector.judge import Known
from ledger_tasks.storage import evidence, requests, runs, status
from ledger_tasks.storage.likeness import Likeness, likeness


@dataclass(frozen=True)
class Stored:
    """By event id: digests. By source hash: applied runs, statuses (None: nothing finished), and what is alike."""

    digests: Mapping[str, str]
    applied: Mapping[str, evidence.Applied]
    statuses: Mapping[str, str | None]
    requests: Mapping[tuple[str, str, str], str]
    alike: Mapping[str, Likeness]

    def known(self, event: ResultEvent) -> Known:
        """Return what is known of an event's source and request."""
        source, request = event.source_sha256, _request(event)
        outcome = self.requests.get(request) if request else None
        return Known(self.applied.get(source), outcome, self.statuses.get(source))

    def likeness(self, event: ResultEvent) -> Likeness:
        """Return what the receipt of an event is like; nothing without an amount."""
        return self.alike.get(event.source_sha256, Likeness())


def look(connection: Connection, together: Sequence[Arrived]) -> Stored:
    """Read what is stored; the caller holds the locks of these sources and of their bookings."""
    sources = sorted({each.event.source_sha256 for each in together})
    wanted = {request for each in together if (request := _request(each.event))}
    signs = {each.event.source_sha256: each.reading.signs for each in together if each.reading and each.reading.signs}
    return Stored(
        runs.digests(connection, [each.event.message_id for each in together]),
        evidence.applied(connection, sources),
        status.statuses(connection, sources),
        requests.outcomes(connection, wanted),
        likeness(connection, signs),
    )


def _request(event: ResultEvent) -> tuple[str, str, str] | None:
    if isinstance(event, PassCompleted) or event.payload.request_id is None:
        return None
    return event.payload.persistence_mode, event.source_sha256, event.payload.request_id
