"""Pages of receipts that may need work come in; each is planned, leased, published and counted."""

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Engine

from ledger_tasks.clock import new_id
from ledger_tasks.discovery import caches
from ledger_tasks.discovery.plan import Action, Known, Leave, Process, Repair, message, plan
from ledger_tasks.discovery.publishing import Publication, send
from ledger_tasks.discovery.summary import Summary
from ledger_tasks.files.urgency import new_receipts_wait
from ledger_tasks.messaging.flight import Fate
from ledger_tasks.messaging.publish import Publisher
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.publications import Lease, confirm_leases, plan_leases, withdraw_leases
from ledger_tasks.storage.scanning import Open
from ledger_tasks.storage.source_index import paths_of


@dataclass(slots=True)
class Settling:
    """Plans and publishes page after page; the numbers go to `summary`."""

    cache: Path
    engine: Engine
    publisher: Publisher
    max_attempts: int
    ignore_leases: bool
    summary: Summary
    _last: str = ""

    def publish(self, page: list[Open]) -> Fate:
        """Publish what a page needs and return the fate of those publications. Raises Infrastructure."""
        wanted = self._wanted(page)
        leases = [_lease(each, action) for each, action in wanted]
        with transaction(self.engine) as connection:
            granted = plan_leases(connection, [lease for lease, _ in leases], ignore_open=self.ignore_leases)
        going = [publication for lease, publication in leases if lease.publication in granted]
        self.summary.already_queued += len(wanted) - len(going)
        fate = send(self.publisher, going)
        self._record(going, fate)
        return fate

    def _wanted(self, page: list[Open]) -> list[tuple[Open, Process | Repair]]:
        """Plan a page; of several paths of one hash the first decides, the others find it queued."""
        cached = self._cached(page)
        wanted: list[tuple[Open, Process | Repair]] = []
        for each in page:
            action = plan(self._known(each, each.sha256 in cached), self.max_attempts)
            if isinstance(action, Leave):
                self._leave(action, 1)
            elif each.sha256 == self._last:
                self.summary.already_queued += 1
            else:
                wanted.append((each, action))
                self._last = each.sha256
        return wanted

    def _cached(self, page: list[Open]) -> set[str]:
        completed = {each.sha256: [each.path] for each in page if each.completed_at is not None}
        if not completed:
            return set()
        with transaction(self.engine) as connection:
            return caches.present(connection, self.cache, completed | paths_of(connection, list(completed)))

    def _known(self, each: Open, cached: bool) -> Known:
        return Known(
            leased=each.leased and not self.ignore_leases,
            failed=each.status == "failed",
            attempts=each.attempts,
            terminal=each.terminal,
            failure=each.failure,
            dead=frozenset(each.dead),
            seen_again=each.seen_again,
            completed_at=each.completed_at,
            cached=cached,
        )

    def _leave(self, action: Action, files: int) -> None:
        assert isinstance(action, Leave)
        setattr(self.summary, action.counter, getattr(self.summary, action.counter) + files)

    def _record(self, going: list[Publication], fate: Fate) -> None:
        """Keep the leases of what was confirmed, end those of what was not sent; the unknown ones run out."""
        confirmed = [going[place] for place in fate.confirmed]
        self.summary.published += len(confirmed)
        self.summary.cache_missing += sum(1 for each in confirmed if each.work.persistence_mode == "reprocess")
        failed = [going[place].id for place in fate.refused | fate.unroutable | fate.unsent]
        with transaction(self.engine) as connection:
            confirm_leases(connection, [each.id for each in confirmed])
            withdraw_leases(connection, failed)
        if any(each.work.persistence_mode == "normal" for each in confirmed):
            new_receipts_wait(self.cache, new_id())


def _lease(each: Open, action: Process | Repair) -> tuple[Lease, Publication]:
    work = message(action, each.sha256, each.path)
    publication = new_id()
    return Lease(each.sha256, publication, work.request_id, each.completed_at), Publication(work, publication)
