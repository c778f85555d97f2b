"""Group commit: many threads hand in one event each; one thread applies those that wait together and answers each."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue

from contracts.receipts.results import ResultEvent
from ledger_tasks.collector.outcome import Outcome
from ledger_tasks.errors import Infrastructure

Apply = Callable[[Sequence[ResultEvent]], Sequence[Outcome]]


@dataclass(frozen=True)
class _Waiting:
    event: ResultEvent
    answer: Future[Outcome] = field(default_factory=Future)


class GroupCommitter:
    """Applies what waits, at most `limit` events in one transaction; an event that finds nobody waiting goes alone.

    Nothing is ever delayed to fill a group: a group is what arrived while the one before was committed.
    """

    def __init__(self, apply: Apply, limit: int) -> None:
        self._apply = apply
        self._limit = limit
        self._queue: SimpleQueue[_Waiting] = SimpleQueue()
        threading.Thread(target=self._run, name="group-commit", daemon=True).start()

    def apply(self, event: ResultEvent) -> Outcome:
        """Return what became of an event once it is committed. Raises Infrastructure, or the surprise it caused."""
        waiting = _Waiting(event)
        self._queue.put(waiting)
        return waiting.answer.result()

    def _run(self) -> None:
        while True:
            group = [self._queue.get()]
            with suppress(Empty):
                while len(group) < self._limit:
                    group.append(self._queue.get_nowait())
            self._commit(group)

    def _commit(self, group: list[_Waiting]) -> None:
        """Answer every event of a group; a surprise is tried apart, so that it meets only the event that causes it."""
        try:
            outcomes = self._apply([each.event for each in group])
        except Exception as error:  # noqa: BLE001 (it rises again where the event came from)
            if len(group) == 1 or isinstance(error, Infrastructure):
                for each in group:
                    each.answer.set_exception(error)
            else:
                for each in group:
                    self._commit([each])
        else:
            for each, outcome in zip(group, outcomes, strict=True):
                each.answer.set_result(outcome)
