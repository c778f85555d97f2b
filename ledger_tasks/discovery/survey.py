"""What lies below the receipt root: walked, and read where it changed; the view and the index know every file after."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Final, assert_never

from sqlalchemy import Connection, Engine

from ledger_tasks.discovery.glance import Glance, glance
from ledger_tasks.discovery.reading import Content, Gone, Growing, Unreadable, read
from ledger_tasks.discovery.summary import Summary
from ledger_tasks.discovery.walk import Folder, Found, Invalid, Unsupported, list_folder
from ledger_tasks.files.stat_index import Fingerprint, look
from ledger_tasks.storage import scanning
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.known_files import KnownFolder, known_folders
from ledger_tasks.storage.source_index import Read, record_sources

WALK_PAGE: Final = 5000
"""Files in memory between two copies into the view."""

READ_PAGE: Final = 500
"""Files read between two commits: some seconds of work that a crash would repeat."""


@dataclass(frozen=True, slots=True)
class Survey:
    """One survey; files that do not come out of it as content are counted in `summary`."""

    view: Connection
    engine: Engine
    root: Path
    cache: Path
    quiet: float
    """Seconds for which a file must not change before it is taken."""
    patience: float
    """Seconds to wait for files that still grow."""
    summary: Summary
    on_progress: Callable[[Summary], None]
    on_invalid: Callable[[str, str], None]

    def run(self) -> None:
        """Walk, read, and wait within reason. Raises Infrastructure when root or database are away."""
        first_look = time.monotonic()
        changed, visited, has_lost_folders = self._changed()
        found = self._found(changed)
        while page := [self._seen(*each) for each in islice(found, WALK_PAGE)]:
            scanning.lay_down(self.view, page)
        growing: list[str] = []
        for page in scanning.find_unread(self.view, READ_PAGE):
            growing += self._read(page, first_look)
        self._wait_for(growing)
        if changed or has_lost_folders:
            scanning.forget_vanished(self.view, [folder.reference for folder in changed], visited)

    def _changed(self) -> tuple[list[Folder], list[str], bool]:
        """Count the folders in which everything is finished; the database works meanwhile.

        Return the other folders, all that are there, and whether a known one is gone.
        """
        with ThreadPoolExecutor(1) as beside:
            finished = beside.submit(self._known)
            glances: list[Glance] = []
            folders = [Folder("")]
            while folders:
                seen = glance(self.root, self.cache, folders.pop())
                folders += seen.folders
                glances.append(seen)
            known = finished.result()
        nothing = KnownFolder(Glance(Folder("")).sums or (), 0)
        changed: list[Folder] = []
        for seen in glances:
            # A file that is known, open and not among those that are there has been taken away: then look closer.
            if seen.sums is None or (seen.sums, 0) != known.get(seen.folder.reference, nothing):
                changed.append(seen.folder)
                continue
            self.summary.skipped += seen.sums[0] + seen.unsupported
            self.summary.unsupported += seen.unsupported
            for invalid in seen.invalid:
                self._reject(*invalid)
        visited = [seen.folder.reference for seen in glances]
        return changed, visited, not known.keys() <= set(visited)

    def _known(self) -> dict[str, KnownFolder]:
        with transaction(self.engine) as connection:
            return known_folders(connection)

    def _found(self, folders: list[Folder]) -> Iterator[Found]:
        for sight in chain.from_iterable(list_folder(self.root, folder) for folder in folders):
            match sight:
                case Found():
                    yield sight
                case Invalid(reference, reason):
                    self._reject(reference, reason)
                case Unsupported():
                    self.summary.skipped += 1
                    self.summary.unsupported += 1
                case Folder():
                    pass
                case _:
                    assert_never(sight)

    def _seen(self, reference: str, source: Fingerprint) -> scanning.Seen:
        return scanning.Seen(reference, source, look(f"{self.cache}/{reference}.json"))

    def _read(self, page: list[scanning.Seen], first_look: float) -> list[str]:
        """Read files, remember what they hold, and return those that grow."""
        files = [(seen.path, Fingerprint(*seen.source)) for seen in page]
        held: list[Read] = []
        growing: list[str] = []
        lost: list[str] = []
        for verdict in read(self.root, files, first_look=first_look, quiet=self.quiet):
            match verdict:
                case Content():
                    held.append(Read(*verdict))
                case Growing(reference):
                    growing.append(reference)
                case Gone(reference):
                    lost.append(reference)
                case Unreadable(reference, reason):
                    lost.append(reference)
                    self._reject(reference, reason)
                case _:
                    assert_never(verdict)
        scanning.take_up(self.view, growing + lost)
        with transaction(self.engine) as connection:
            record_sources(connection, held)
        self.on_progress(self.summary)
        return growing

    def _wait_for(self, growing: list[str]) -> None:
        deadline = time.monotonic() + self.patience
        while growing and time.monotonic() < deadline:
            first_look = time.monotonic()
            looks = [(reference, look(f"{self.root}/{reference}")) for reference in growing]
            page = [self._seen(reference, stat) for reference, stat in looks if stat is not None]
            scanning.lay_down(self.view, page)
            growing = self._read(page, first_look)
        self.summary.growing += len(growing)

    def _reject(self, reference: str, reason: str) -> None:
        self.summary.invalid += 1
        self.on_invalid(reference, reason)
