"""The inbox process: a subject comes in, journaled and applied answers go out, and it knows when it is deaf."""

import asyncio
import logging
import sqlite3
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final

from sqlalchemy import Engine

from ledger_tasks.errors import Infrastructure
from ledger_tasks.recognition import bus
from ledger_tasks.recognition.adoption import Adoption, leave
from ledger_tasks.recognition.applier import Applier
from ledger_tasks.recognition.journal import Entry, create_journal
from ledger_tasks.recognition.pulse import Pulse, either
from ledger_tasks.settings import ServeSettings
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.recognition_inboxes import keep_alive, report_inbox
from ledger_tasks.storage.recognition_jobs import database_time

GROUP: Final = "arm-core"
"""Queue group: of all instances exactly one receives an answer."""

PERIOD_SECONDS: Final = 1
"""Of proofs and reports."""

DEAF_AFTER_SECONDS: Final = 4
"""Without proof for so long the subscription counts as down: /healthcheck must say so within 5 s."""

RECONNECT_SECONDS: Final = 0.5
STOP_SECONDS: Final = 10
"""How long a stopping inbox goes on applying; what is then left waits in the journal."""

log = logging.getLogger(__name__)


class Inbox:
    """One inbox: `run` it, `stop` it, and ask it at any time what it `hears` and holds."""

    def __init__(self, settings: ServeSettings, engine: Engine, folder: Path, instance: str) -> None:
        """Begin the journal. Raises OSError or sqlite3.Error when the folder cannot hold it."""
        self._settings = settings
        self._engine = engine
        self._journal = create_journal(folder, instance)
        self._applier = Applier(engine, self._journal)
        self._adoption = Adoption(engine, folder, instance)
        self._hearing = Pulse(DEAF_AFTER_SECONDS)
        self._link: bus.Link | None = None
        self._since: tuple[bus.Link, datetime] | None = None
        self._fresh: list[Entry] = []
        self._received = self._journaled = 0
        self._arrived = asyncio.Event()
        self._stopping = asyncio.Event()

    @property
    def hears(self) -> bool:
        """Say whether the subscription was proven a moment ago."""
        return self._link is not None and not self._link.closed.is_set() and self._hearing.fresh

    def backlog(self) -> int:
        """Count the answers that are received and not applied."""
        return sum(map(len, (self._journal, *self._adoption.journals))) + self._received - self._journaled

    def stop(self) -> None:
        """Ask `run` to end: take what is on its way, apply what is received, leave the rest in the journal."""
        self._stopping.set()

    async def run(self) -> None:
        """Listen, store, apply, report and adopt until `stop`; a surprise in one of them ends all."""
        async with asyncio.TaskGroup() as group:
            work = (self._store(), self._applier.run(), self._report(), self._adoption.run())
            tasks = [group.create_task(each) for each in work]
            await self._listen()
            with suppress(TimeoutError):
                async with asyncio.timeout(STOP_SECONDS):
                    await self._settled(self._received)
            for task in tasks:
                task.cancel()
        for journal in (self._journal, *self._adoption.journals):
            await asyncio.to_thread(leave, self._engine, journal)

    async def _listen(self) -> None:
        while not self._stopping.is_set():
            try:
                async with bus.link(self._settings, "ledger-inbox") as link:
                    await self._listen_on(link)
            except bus.BusDown as down:
                log.error("the inbox is deaf: %s", down.detail)  # noqa: TRY400 (expected: no traceback)
            await either(self._stopping, within=RECONNECT_SECONDS)

    async def _listen_on(self, link: bus.Link) -> None:
        subject = self._settings.subjects["result"]
        end = await bus.subscribe(link, subject, GROUP, self._take)
        log.info("the inbox listens on %s", subject)
        self._hearing.beat()
        self._link = link
        try:
            while not (link.closed.is_set() or self._stopping.is_set() or subject in link.refused):
                await either(link.closed, self._stopping, within=PERIOD_SECONDS)
                await self._prove(link)
            if self._stopping.is_set():
                await end()
        finally:
            self._link = None
            self._hearing.stop()

    async def _prove(self, link: bus.Link) -> None:
        """Prove that we hear; one failure on a busy machine does not give up a connection that works."""
        try:
            await link.prove()
        except bus.BusDown:
            if link.closed.is_set() or not self._hearing.fresh:
                raise
        else:
            self._hearing.beat()

    def _take(self, message: bus.Incoming) -> None:
        self._received += 1
        self._fresh.append(Entry(self._received, message.message_id, message.body))
        self._arrived.set()

    async def _store(self) -> None:
        """Bring what arrived to the disk, all that came meanwhile in one transaction."""
        while True:
            await self._arrived.wait()
            try:
                batch = tuple(self._fresh)
                await asyncio.to_thread(self._journal.append, batch)
            except sqlite3.Error as error:
                log.error("the journal cannot be written: %s", error)  # noqa: TRY400 (expected: no traceback)
                await asyncio.sleep(PERIOD_SECONDS)
                continue
            del self._fresh[: len(batch)]
            self._journaled += len(batch)
            if not self._fresh:
                self._arrived.clear()
            self._applier.more.set()

    async def _report(self) -> None:
        """Tell the watcher, each second, that we live and through which moment everything received is applied."""
        while True:
            try:
                await self._report_once()
            except Infrastructure as error:
                log.warning("the inbox cannot report: %s", error.detail)
            await asyncio.sleep(PERIOD_SECONDS)

    async def _report_once(self) -> None:
        """Ask the time first: what reached the server before it comes to us before the proof does."""
        link = self._link
        at = await asyncio.to_thread(self._database_time)
        if link is None:
            self._since = None
        elif self._since is None or self._since[0] is not link:
            self._since = (link, at)
        through: datetime | None = at
        try:
            if link is not None:
                await link.prove()
            async with asyncio.timeout(PERIOD_SECONDS):
                await self._settled(self._received)
        except (bus.BusDown, TimeoutError):
            through = None
        await asyncio.to_thread(self._tell, through, self._since[1] if self._since else None)

    async def _settled(self, number: int) -> None:
        """Return once everything up to the number-th message is on the disk and applied."""
        while self._journaled < number or not await asyncio.to_thread(self._journal.settled, number):  # noqa: ASYNC110
            await asyncio.sleep(0.02)  # the journal is a file: nothing tells when it shrinks

    def _database_time(self) -> datetime:
        with transaction(self._engine) as connection:
            return database_time(connection)

    def _tell(self, applied_through: datetime | None, listening_since: datetime | None) -> None:
        with transaction(self._engine) as connection:
            report_inbox(connection, self._journal.instance, applied_through, listening_since)
            keep_alive(connection, [journal.instance for journal in self._adoption.journals])
