"""Which budget a delivery draws on, and its starts: under the source lock, so that two workers never count at once."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from contracts.receipts.work import Work, budget_key
from ledger_tasks.clock import new_id
from ledger_tasks.errors import Infrastructure
from ledger_tasks.files.attempts import (
    Budget,
    End,
    Start,
    latest_anonymous,
    read_budget,
    stopping_starts,
    write_budget,
)
from ledger_tasks.files.locks import source_lock
from ledger_tasks.messaging.delivery import Delivery
from ledger_tasks.messaging.message import BUDGET, PUBLICATION


class Owed(NamedTuple):
    """How a start ended, while the volume could not take it; left open it would pass for a crash and use an attempt."""

    sha256: str
    key: str
    start_id: str
    end: End
    code: str | None


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

    def start(self, start_id: str, worker: str) -> None:
        """Record a start, before any byte of the file is interpreted. Raises Infrastructure, and may have recorded."""
        self._write(self.budget.started(Start(id=start_id, worker=worker, at=self.now())))

    def end(self, start_id: str, end: End, code: str | None, owed: list[Owed]) -> None:
        """Record how a start ended. Raises Infrastructure, and then it is owed."""
        try:
            self._write(self.budget.ended(start_id, end, code))
        except Infrastructure:
            owed.append(Owed(self.sha256, self.budget.key, start_id, end, code))
            raise

    def spend(self, code: str) -> None:
        """Record that the dead copy is confirmed: later copies are acknowledged without a second dead letter."""
        written = read_budget(self.cache, self.sha256, self.budget.key) or self.budget
        self._write(written.model_copy(update={"spent": code}))

    def _write(self, budget: Budget) -> None:
        write_budget(self.cache, self.sha256, budget)
        self.budget = budget


def pay(cache: Path, owed: list[Owed]) -> None:
    """Record the ends that are owed; one that cannot be recorded now, or whose source is busy, stays owed."""
    for each in tuple(owed):
        with suppress(Infrastructure), source_lock(cache, each.sha256, seconds=0):
            budget = read_budget(cache, each.sha256, each.key)
            if budget is not None:
                write_budget(cache, each.sha256, budget.ended(each.start_id, each.end, each.code))
            owed.remove(each)


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
