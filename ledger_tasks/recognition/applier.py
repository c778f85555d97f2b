"""One journal comes in, its answers are applied in order with back-off, and nothing is left of it."""

import asyncio
import logging
import sqlite3
from collections.abc import Collection
from typing import Final, NamedTuple

from sqlalchemy import Engine

from ledger_tasks.errors import Infrastructure
from ledger_tasks.recognition.inbox import settle
from ledger_tasks.recognition.journal import Journal

BATCH: Final = 500
"""Answers of one transaction. One that comes alone is applied at once; under load many share a commit."""

PAUSES_SECONDS: Final = (0.05, 0.2, 0.5, 1, 2, 5)
"""Back-off: a held row is free soon, a database that is away is asked every 5 s."""

log = logging.getLogger(__name__)


class _Held(NamedTuple):
    """An entry that waits for somebody else's lock."""

    due: float
    tries: int


class Applier:
    """Applies one journal. Set `more` when the journal has grown."""

    def __init__(self, engine: Engine, journal: Journal) -> None:
        self.more = asyncio.Event()
        self._engine = engine
        self._journal = journal
        self._held: dict[int, _Held] = {}

    async def run(self, *, until_empty: bool = False) -> None:
        """Apply for ever, or until nothing is left."""
        failures = 0
        while True:
            self.more.clear()
            waiting = self._waiting()
            try:
                looked_at, held = await asyncio.to_thread(self._apply_some, waiting)
            except (Infrastructure, sqlite3.Error) as error:
                log.warning("answers wait in the journal: %s", error)
                await asyncio.sleep(_pause(failures))
                failures += 1
                continue
            failures = 0
            self._hold(looked_at, held)
            if not looked_at and not waiting and until_empty:
                return
            if not looked_at:
                await self._wait()

    def _apply_some(self, besides: Collection[int]) -> tuple[list[int], set[int]]:
        """Settle the oldest entries; return the numbers of those looked at, and of those that somebody holds."""
        entries = self._journal.waiting(BATCH, besides)
        held = settle(self._engine, entries)
        numbers = [entry.number for entry in entries]
        self._journal.remove([number for number in numbers if number not in held])
        return numbers, held

    def _waiting(self) -> list[int]:
        now = asyncio.get_running_loop().time()
        return [number for number, held in self._held.items() if held.due > now]

    def _hold(self, looked_at: list[int], held: set[int]) -> None:
        now = asyncio.get_running_loop().time()
        for number in looked_at:
            before = self._held.pop(number, _Held(now, 0))
            if number in held:
                self._held[number] = _Held(now + _pause(before.tries), before.tries + 1)

    async def _wait(self) -> None:
        """Return when the journal has grown or an entry that waits is due."""
        due = min((held.due for held in self._held.values()), default=None)
        seconds = None if due is None else max(0, due - asyncio.get_running_loop().time())
        try:
            async with asyncio.timeout(seconds):
                await self.more.wait()
        except TimeoutError:
            pass


def _pause(failures: int) -> float:
    return PAUSES_SECONDS[min(failures, len(PAUSES_SECONDS) - 1)]
