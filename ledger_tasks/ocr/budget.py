"""Which budget a delivery draws on, and its starts: under the source lock, so that two workers never count at once."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from contracts.receipts.work import Work, budget_key
from ledger_tasks.clock import new_id
from ledger_tasks.files.attempts import (
    Budget,
    End,
    Start,
    latest_anonymous,
    read_budget,
    stopping_starts,
    write_budget,
)
from ledger_tasks.messaging.delivery import Delivery
from ledger_tasks.messaging.message import BUDGET, PUBLICATION


@dataclass(slots=True)
class Account:
    """The budget of one delivery as it stands on the volume, and the headers by which its copies find it again."""

    cache: Path
    sha256: str
    budget: Budget
    publication: str
    now: Callable[[], datetime]

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers of every copy."""
        opened = {BUDGET: self.budget.opened_by} if self.budget.opened_by else {}
        return {PUBLICATION: self.publication, **opened}

    @property
    def counted(self) -> list[Start]:
        """Return the starts that used up an attempt so far."""
        return self.budget.counted(stopping_starts(self.cache, self.sha256))

    def start(self, worker: str) -> str:
        """Record a start, before any byte of the file is interpreted, and return its id."""
        begun = Start(id=new_id(), worker=worker, at=self.now())
        self._write(self.budget.started(begun))
        return begun.id

    def end(self, start_id: str, end: End, code: str | None = None) -> None:
        """Record how a start ended."""
        self._write(self.budget.ended(start_id, end, code))

    def spend(self, code: str) -> None:
        """Record that the dead copy is confirmed: later copies are acknowledged without a second dead letter."""
        written = read_budget(self.cache, self.sha256, self.budget.key) or self.budget
        self._write(written.model_copy(update={"spent": code}))

    def _write(self, budget: Budget) -> None:
        write_budget(self.cache, self.sha256, budget)
        self.budget = budget


def open_account(cache: Path, work: Work, delivery: Delivery, now: Callable[[], datetime]) -> Account:
    """Find the budget that this delivery draws on, or open one (written with its first start)."""
    publication, opened_by = delivery.text(PUBLICATION), delivery.text(BUDGET)
    anonymous = publication is None
    if publication is None:
        fresh = delivery.delivery_count == 0 and not delivery.headers
        known = None if fresh else latest_anonymous(cache, work.source_sha256, work.message_id)
        if known is not None:
            return Account(cache, work.source_sha256, known, known.publication, now)
        publication, opened_by = new_id(), new_id()
    key = budget_key(work, publication, opened_by)
    budget = read_budget(cache, work.source_sha256, key) or Budget(
        key=key,
        message_id=work.message_id,
        publication=publication,
        opened_by=opened_by,
        anonymous=anonymous,
        opened_at=now(),
    )
    return Account(cache, work.source_sha256, budget, publication, now)
