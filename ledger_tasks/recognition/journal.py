"""What an inbox received and has not applied yet, in one SQLite file that survives kill -9 and power loss."""

import fcntl
import json
import os
import sqlite3
import threading
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import IO, Final, NamedTuple

_SUFFIX: Final = ".journal"


class Entry(NamedTuple):
    """One received message; `number` counts from 1 within its journal."""

    number: int
    message_id: str | None
    body: bytes


class Journal:
    """A journal held by this process alone: its lock ends with the process, and then anybody may adopt it."""

    def __init__(self, path: Path, lock: IO[str]) -> None:
        self.instance = path.stem
        self._path = path
        self._lock = lock
        self._one_at_a_time = threading.Lock()
        self._database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._database.executescript("""
            PRAGMA journal_mode = WAL;
            CREATE TABLE IF NOT EXISTS message (number INTEGER PRIMARY KEY, message_id TEXT, body BLOB NOT NULL);
        """)

    def append(self, entries: Sequence[Entry]) -> None:
        """Return only once all entries are on the disk. Raises sqlite3.Error, and then holds none of them."""
        with self._one_at_a_time:
            self._database.execute("PRAGMA synchronous = FULL")
            self._database.execute("BEGIN")
            try:
                self._database.executemany("INSERT INTO message VALUES (?, ?, ?)", entries)
                self._database.execute("COMMIT")
            except sqlite3.Error:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                raise

    def waiting(self, limit: int, besides: Collection[int] = ()) -> list[Entry]:
        """Return the oldest entries that are not among those put off."""
        query = "SELECT * FROM message WHERE number NOT IN (SELECT value FROM json_each(?)) ORDER BY number LIMIT ?"
        with self._one_at_a_time:
            return [Entry(*row) for row in self._database.execute(query, (json.dumps(list(besides)), limit))]

    def remove(self, numbers: Collection[int]) -> None:
        """Forget entries that are settled. After a power loss some may come back, and are settled once more."""
        query = "DELETE FROM message WHERE number IN (SELECT value FROM json_each(?))"
        with self._one_at_a_time:
            self._database.execute("PRAGMA synchronous = NORMAL")
            self._database.execute(query, (json.dumps(list(numbers)),))

    def settled(self, number: int) -> bool:
        """Say whether everything up to a number is gone."""
        with self._one_at_a_time:
            query = "SELECT NOT EXISTS (SELECT 1 FROM message WHERE number <= ?)"
            return bool(self._database.execute(query, (number,)).fetchone()[0])

    def __len__(self) -> int:
        """Count the entries."""
        with self._one_at_a_time:
            return int(self._database.execute("SELECT count(*) FROM message").fetchone()[0])

    def close(self) -> None:
        """Let go; what is left waits for whoever adopts it."""
        with self._one_at_a_time:
            self._database.close()
        self._lock.close()

    def discard(self) -> None:
        """Remove the file, empty, and let go. The lock goes last: nobody can adopt half a journal."""
        with self._one_at_a_time:
            self._database.close()
        for name in (self._path, *(self._path.with_name(self._path.name + end) for end in ("-wal", "-shm"))):
            name.unlink(missing_ok=True)
        Path(self._lock.name).unlink(missing_ok=True)
        self._lock.close()


def create_journal(folder: Path, instance: str) -> Journal:
    """Begin a journal of our own. Raises OSError or sqlite3.Error when the folder cannot hold it."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = _locked(folder / f"{instance}.lock")
    assert lock is not None, "an instance id is never used twice"
    return Journal(folder / f"{instance}{_SUFFIX}", lock)


def adopt_journals(folder: Path, ours: Collection[str]) -> list[Journal]:
    """Take over every journal whose process has ended."""
    found: list[Journal] = []
    for path in sorted(folder.glob(f"*{_SUFFIX}")):
        if path.stem in ours:
            continue
        lock = _locked(path.with_suffix(".lock"))
        if lock is None:
            continue
        if path.exists():
            found.append(Journal(path, lock))
        else:  # whoever held it has discarded it between our look and our lock
            lock.close()
    return found


def _locked(path: Path) -> IO[str] | None:
    """Open and lock a file, or return None while another process holds it."""
    lock = path.open("a", encoding="ascii")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        return None
    os.set_inheritable(lock.fileno(), False)
    return lock
