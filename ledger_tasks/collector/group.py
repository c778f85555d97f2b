"""Group commit: many threads hand in one event each; one thread applies those that wait together and answers each."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Final

from contracts.receipts.results import ResultEvent
from ledger_tasks.collector.outcome import Outcome
from ledger_tasks.errors import Infrastructure

Apply = Callable[[Sequence[ResultEvent]], Sequence[Outcome]]


@dataclass(frozen=True)
class _Waiting:
    event: ResultEvent
    answer: Future[Outcome] = field(default_factory=Future)


_END: Final = None


class GroupCommitter:
    """Applies what waits, at most `limit` events in one transaction; an event that finds nobody waiting goes alone.

    Nothing is ever delayed to fill a group: a group is what arrived while the one before was committed.
    """

    def __init__(self, apply: Apply, limit: int) -> None:
        self._apply = apply
        self._limit = limit
        self._queue: SimpleQueue[_Waiting | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="group-commit", daemon=True)
        self._thread.start()

    def apply(self, event: ResultEvent) -> Outcome:
        """Return what became of an event once it is committed. Raises Infrastructure, or the surprise it caused."""
        waiting = _Waiting(event)
        self._queue.put(waiting)
        return waiting.answer.result()

    def close(self) -> None:
        """Apply what was handed in before, then end the thread."""
        self._queue.put(_END)
        self._thread.join()

    def _run(self) -> None:
        while (first := self._queue.get()) is not _END:
            group, ended = self._with_those_that_wait(first)
            self._commit(group)
            if ended:
                return

    def _with_those_that_wait(self, first: _Waiting) -> tuple[list[_Waiting], bool]:
        group = [first]
        while len(group) < self._limit:
            try:
                following = self._queue.get_nowait()
            except Empty:
                break
            if following is _END:
                return group, True
            group.append(following)
        return group, False

    def _commit(self, group: list[_Waiting]) -> None:
        """Answer every event of a group; a surprise is tried apart, so that it meets only the event that causes it."""
        try:
            outcomes = self._apply([each.event for each in group])
        except Exception as error:  # noqa: BLE001 (it rises again in the threads that wait)
            if len(group) == 1 or isinstance(error, Infrastructure):
                for each in group:
                    each.answer.set_exception(error)
            else:
                for each in group:
                    self._commit([each])
        else:
            for each, outcome in zip(group, outcomes, strict=True):
                each.answer.set_result(outcome)
