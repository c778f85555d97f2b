"""What a few events change, gathered as rows and then written together, each table once."""

from dataclasses import dataclass, field

from sqlalchemy import Connection

from ledger_tasks.storage.dead_letters import DeadLetter, tell
from ledger_tasks.storage.evidence import Evidence, replace_evidence
from ledger_tasks.storage.expenses import Booking, book
from ledger_tasks.storage.requests import Request, complete
from ledger_tasks.storage.runs import ArtifactRow, EventRow, PassRow, RunRow, record
from ledger_tasks.storage.status import Ended, LeaseEnd, Seen, end, end_leases, remember


@dataclass(frozen=True)
class Changes:
    """The rows of some events of which no two touch the same source (but passes) or the same booking."""

    seen: list[Seen] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    bookings: list[Booking] = field(default_factory=list)
    runs: list[RunRow] = field(default_factory=list)
    passes: list[PassRow] = field(default_factory=list)
    artifacts: list[ArtifactRow] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    ended: list[Ended] = field(default_factory=list)
    lease_ends: list[LeaseEnd] = field(default_factory=list)
    dead_letters: list[DeadLetter] = field(default_factory=list)
    events: list[EventRow] = field(default_factory=list)

    def write(self, connection: Connection) -> None:
        """Write every row; a rule of a table that is broken rises as IntegrityError or DataError."""
        remember(connection, self.seen)
        replace_evidence(connection, self.evidence)
        book(connection, self.bookings)
        record(connection, runs=self.runs, passes=self.passes, artifacts=self.artifacts, events=self.events)
        complete(connection, self.requests)
        end(connection, self.ended)
        end_leases(connection, self.lease_ends)
        tell(connection, self.dead_letters)
