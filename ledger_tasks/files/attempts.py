"""Budgets of three counted starts, kept on the shared volume so that they survive crashes of a worker without database.

One file per budget, written only under the source lock. A start that the main process saw open at SIGTERM gets an
empty file of its own beside it, since the main process holds no lock.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import AwareDatetime, Field, ValidationError

from contracts.identity import RequestId
from contracts.receipts.work import MAX_ATTEMPTS
from contracts.wire import Wire, canonical
from ledger_tasks.files.shared import names_in, read_whole, write_whole

FOLDER: Final = ".attempts"
STOPPING: Final = ".stopping"
LOST: Final = "WORKER_LOST"

End = Literal["open", "ok", "failed", "released"]


class Start(Wire):
    """One start of OCR: `open` until it ends; `released` when infrastructure or a shutdown was the reason."""

    id: RequestId
    worker: str
    at: AwareDatetime
    end: End = "open"
    code: str | None = None


class Budget(Wire):
    """All starts of one publication of one message (v1) or of one request (v2, v3).

    `opened_by` is the budget header that asked for it; `anonymous`: the message named no publication, we made one up.
    """

    key: str
    message_id: str
    publication: str
    opened_by: str | None = None
    anonymous: bool = False
    opened_at: AwareDatetime
    starts: tuple[Start, ...] = ()
    spent: Annotated[str, Field(max_length=64)] | None = None

    def counted(self, stopping: frozenset[str]) -> list[Start]:
        """Return the starts that used up an attempt: failures, and crashes that no shutdown explains."""
        return [
            start
            for start in self.starts
            if start.end == "failed" or (start.end == "open" and start.id not in stopping)
        ]

    def started(self, start: Start) -> Self:
        """Return the budget with one more start."""
        return self.model_copy(update={"starts": (*self.starts, start)})

    def ended(self, start_id: str, end: End, code: str | None = None) -> Self:
        """Return the budget with that start ended."""
        changed = tuple(
            each.model_copy(update={"end": end, "code": code}) if each.id == start_id else each for each in self.starts
        )
        return self.model_copy(update={"starts": changed})


def is_exhausted(counted: list[Start]) -> bool:
    """Say whether the third counted start has happened."""
    return len(counted) >= MAX_ATTEMPTS


def last_code(counted: list[Start]) -> str:
    """Return the code that the last counted start ended with; a crash has none of its own."""
    return counted[-1].code or LOST


def budget_path(cache: Path, sha256: str, key: str) -> Path:
    """Return where a budget lies; keys hold colons and foreign text, so the name is their hash."""
    return cache / FOLDER / sha256 / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"


def read_budget(cache: Path, sha256: str, key: str) -> Budget | None:
    """Return a budget, None when it was never opened. A damaged one counts as never opened."""
    return _read(budget_path(cache, sha256, key))


def write_budget(cache: Path, sha256: str, budget: Budget) -> None:
    """Replace a budget atomically; under the source lock only. Raises Infrastructure."""
    write_whole(budget_path(cache, sha256, budget.key), canonical(budget.model_dump(mode="json")))


def latest_anonymous(cache: Path, sha256: str, message_id: str) -> Budget | None:
    """Return the newest budget of a foreign message, which names no publication of its own."""
    budgets = _budgets(cache, sha256)
    found = [budget for budget in budgets if budget.anonymous and budget.message_id == message_id]
    return max(found, key=lambda budget: budget.opened_at, default=None)


def starts_of(cache: Path, sha256: str) -> list[Start]:
    """Return every start of a source, of all its budgets."""
    return [start for budget in _budgets(cache, sha256) for start in budget.starts]


def open_starts(starts: Iterable[Start]) -> list[Start]:
    """Return the starts that have not ended: running now, or lost."""
    return [start for start in starts if start.end == "open"]


def mark_stopping(cache: Path, sha256: str, start_id: str) -> None:
    """Say that this start was open when its worker was told to end; without a lock, so as a file of its own."""
    write_whole(cache / FOLDER / sha256 / f"{start_id}{STOPPING}", b"")


def stopping_starts(cache: Path, sha256: str) -> frozenset[str]:
    """Return the ids of starts that were open at a SIGTERM."""
    names = names_in(cache / FOLDER / sha256)
    return frozenset(name.removesuffix(STOPPING) for name in names if name.endswith(STOPPING))


def _budgets(cache: Path, sha256: str) -> list[Budget]:
    folder = cache / FOLDER / sha256
    paths = [folder / name for name in names_in(folder) if name.endswith(".json")]
    return [budget for path in paths if (budget := _read(path)) is not None]


def _read(path: Path) -> Budget | None:
    content = read_whole(path)
    if content is None:
        return None
    try:
        return Budget.model_validate_json(content)
    except ValidationError:
        return None
