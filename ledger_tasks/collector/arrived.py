"""PURE. An event comes in; the event with all that can be said of it before the database is asked comes out."""

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.receipts.results import PassCompleted, ResultEvent, RunCompleted
from ledger_tasks.collector.reading import Reading, read
from ledger_tasks.collector.rows import digest
from ledger_tasks.storage.corrections import Correction


@dataclass(frozen=True)
class Arrived:
    """An event, the digest of its content, and what its receipt says when it carries one that is to be applied."""

    event: ResultEvent
    digest: str
    reading: Reading | None

    @property
    def booking(self) -> str | None:
        """Return the lock under which the receipt looks for its booking; None without an amount."""
        return self.reading.signs.lock if self.reading and self.reading.signs else None

    @property
    def keys(self) -> tuple[str, ...]:
        """Return what no two events of one round share: the event, the booking and, but for passes, the source."""
        source = None if isinstance(self.event, PassCompleted) else self.event.source_sha256
        return tuple(key for key in (self.event.message_id, source, self.booking) if key)


def arrived(event: ResultEvent, said: Sequence[Correction]) -> Arrived:
    """Read the receipt that an event carries, with what people said about it."""
    reading = None
    if isinstance(event, RunCompleted) and event.payload.persistence_mode != "cache_only":
        page = next((each.page_signature for each in event.artifacts if each.page_signature), None)
        reading = read(event.payload.receipt, said, page)
    return Arrived(event, digest(event), reading)
