"""What `ledger serve` does besides answering: the inbox, the probe of the database, and inline ticks."""

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from ledger_tasks.errors import Infrastructure
from ledger_tasks.recognition.listener import Inbox
from ledger_tasks.recognition.pulse import Pulse
from ledger_tasks.recognition.ticks import PUBLISH, Exchange, timetable
from ledger_tasks.recognition.trouble import FORGOTTEN_AFTER, Trouble
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.recognition_inboxes import Backlog, load_backlog
from ledger_tasks.storage.recognition_troubles import load_troubles

PROBE_SECONDS: Final = 1
DOWN_AFTER_SECONDS: Final = 4
"""Without an answer for so long the database counts as down: /healthcheck must say so within 5 s."""

log = logging.getLogger(__name__)


class Background:
    """Runs until `stop`; a surprise in any part ends `run`, and with it the process."""

    def __init__(self, exchange: Exchange, inbox: Inbox | None, *, inline_ticks: bool) -> None:
        self.inbox = inbox
        self.database = Pulse(DOWN_AFTER_SECONDS)
        self.backlog = Backlog(None, None)
        self.troubles: list[Trouble] = []
        self._exchange = exchange
        self._inline_ticks = inline_ticks
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Ask `run` to end."""
        self._stopping.set()
        if self.inbox is not None:
            self.inbox.stop()

    async def run(self) -> None:
        """Probe, listen and tick."""
        async with asyncio.TaskGroup() as group:
            endless = [group.create_task(self._probe())]
            if self.inbox is not None:
                group.create_task(self.inbox.run())
                if self._inline_ticks:
                    endless += [
                        group.create_task(self._tick(seconds, tick))
                        for seconds, tick in timetable(self._exchange.settings).values()
                    ]
            await self._stopping.wait()
            for task in endless:
                task.cancel()

    async def _probe(self) -> None:
        """Ask the database each second; one that is frozen never answers, and the pulse goes stale."""
        while True:
            try:
                self.backlog, self.troubles = await asyncio.to_thread(self._look)
                self.database.beat()
            except Infrastructure as error:
                self.database.stop()
                log.warning("the database is down: %s", error.detail)
            await asyncio.sleep(PROBE_SECONDS)

    def _look(self) -> tuple[Backlog, list[Trouble]]:
        with transaction(self._exchange.engine) as connection:
            return load_backlog(connection, PUBLISH), load_troubles(connection, FORGOTTEN_AFTER)

    async def _tick(self, seconds: float, tick: Callable[[Exchange], int]) -> None:
        while True:
            try:
                await asyncio.to_thread(tick, self._exchange)
            except Infrastructure as error:
                log.warning("the tick is left to the next one: %s", error)
            await asyncio.sleep(seconds)
