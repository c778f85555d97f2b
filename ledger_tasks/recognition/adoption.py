"""What ended inboxes left: their journals are taken over, applied, and forgotten once nothing is in them."""

import asyncio
import logging
from pathlib import Path
from typing import Final

from sqlalchemy import Engine

from ledger_tasks.errors import Infrastructure
from ledger_tasks.recognition.applier import Applier
from ledger_tasks.recognition.journal import Journal, adopt_journals
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.recognition_inboxes import forget_inbox

LOOK_SECONDS: Final = 5
"""The watcher waits two minutes for an inbox that fell silent: until then its answers are applied."""

RETRY_SECONDS: Final = 1

log = logging.getLogger(__name__)


class Adoption:
    """The journals in our hands that others began."""

    def __init__(self, engine: Engine, folder: Path, ours: str) -> None:
        """Look in `folder` for every journal but that of the instance `ours`."""
        self.journals: list[Journal] = []
        self._engine = engine
        self._folder = folder
        self._ours = ours

    async def run(self) -> None:
        """Take over what ended inboxes leave, until cancelled."""
        async with asyncio.TaskGroup() as group:
            while True:
                held = {self._ours, *(journal.instance for journal in self.journals)}
                for journal in await asyncio.to_thread(adopt_journals, self._folder, held):
                    log.info("a journal was adopted", extra={"instance": journal.instance, "entries": len(journal)})
                    self.journals.append(journal)
                    group.create_task(self._finish(journal))
                await asyncio.sleep(LOOK_SECONDS)

    async def _finish(self, journal: Journal) -> None:
        """Apply what an ended inbox left, and only then let the watcher forget it."""
        await Applier(self._engine, journal).run(until_empty=True)
        while True:
            try:
                await asyncio.to_thread(_forget, self._engine, journal)
                break
            except Infrastructure:
                await asyncio.sleep(RETRY_SECONDS)
        self.journals.remove(journal)
        journal.discard()


def leave(engine: Engine, journal: Journal) -> None:
    """End a journal: an empty one goes without a trace, another one waits to be adopted."""
    if len(journal):
        journal.close()
        return
    try:
        _forget(engine, journal)
    except Infrastructure:
        journal.close()
    else:
        journal.discard()


def _forget(engine: Engine, journal: Journal) -> None:
    with transaction(engine) as connection:
        forget_inbox(connection, journal.instance)
