"""One scan's view of the database: what the walk saw is laid beside what is known, and only differences come out.

Everything here happens in one transaction of the scan's own connection, which also holds the lock of scans: the
temporary tables and the lock end with it. Paths hold no control character and no backslash: the walk saw to that.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Engine, text

from ledger_tasks.storage.database import server_trouble
from ledger_tasks.storage.known_files import CACHED, FINISHED, FOLDER, STAT_COLUMNS, STATES, Stat

_NO_CACHE: Final = "\t".join(["\\N"] * 5)
_LOCK: Final = 7_236_831_004_117_002
"""Key of the advisory lock of scans; any constant, the same in every process."""


class Seen(NamedTuple):
    """A source file as the walk saw it, and the stat of the cache file at its path, if there is one."""

    path: str
    source: Stat
    cache: Stat | None


@dataclass(frozen=True, slots=True)
class Open:
    """One file whose receipt may need work; rows of one hash follow each other. `cached`: by the stat index alone."""

    path: str
    sha256: str
    leased: bool
    status: str | None
    attempts: int
    terminal: bool
    failure: str
    dead: Sequence[str]
    seen_again: bool
    completed_at: datetime | None
    cached: bool


@contextmanager
def scanning(engine: Engine) -> Iterator[Connection | None]:
    """Give the connection of the only scan that runs, None when another one does. Raises Infrastructure."""
    with server_trouble(), engine.begin() as connection:
        # A scan of millions of files may take longer than any other statement.
        for setting in ("work_mem = '64MB'", "statement_timeout = 0"):
            connection.execute(text(f"SET LOCAL {setting}"))
        if not connection.execute(text("SELECT pg_try_advisory_xact_lock(:key)"), {"key": _LOCK}).scalar_one():
            yield None
            return
        connection.execute(text(_SEEN))
        yield connection


def lay_down(connection: Connection, seen: Sequence[Seen]) -> None:
    """Add files to what this scan has seen."""
    lines = "".join(map(_line, seen)).encode()
    cursor: Any = connection.connection.cursor()
    with cursor.copy("COPY seen FROM STDIN") as copy:
        copy.write(lines)


def find_unread(connection: Connection, page: int) -> Iterator[list[Seen]]:
    """Yield the files whose content is not known by their stat, in pages of at most `page`."""
    for rows in _stream(connection, _UNREAD, page):
        yield [Seen(row[0], row[1:6], row[6:] if row[6] is not None else None) for row in rows]


def take_up(connection: Connection, paths: Sequence[str]) -> None:
    """Forget files that turned out to be invalid, growing or gone: they are counted otherwise."""
    if paths:
        connection.execute(text("DELETE FROM seen WHERE path = ANY(:paths)"), {"paths": list(paths)})


def forget_vanished(connection: Connection, changed: Sequence[str], visited: Sequence[str]) -> None:
    """Forget what files held that are gone: not seen in a folder that changed, or in a folder that is gone itself."""
    connection.execute(text(_FORGET), {"changed": list(changed), "visited": list(visited)})


def count(connection: Connection) -> int:
    """Return how many files the scan has seen and not taken up again."""
    return int(connection.execute(text("SELECT count(*) FROM seen")).scalar_one())


def find_open(connection: Connection, page: int) -> Iterator[list[Open]]:
    """Yield the files for which something may be to do, by hash and in pages, as they were at one moment.

    Left out is only what is surely finished: completed, with a cache known by its stat, no lease, no dead letter.
    """
    for rows in _stream(connection, _OPEN, page):
        yield [Open(**row._mapping) for row in rows]  # noqa: SLF001 (its public name is the underscored one)


_SEEN: Final = f"""
CREATE TEMPORARY TABLE seen (
    path text NOT NULL,
    {", ".join(f"{name} bigint NOT NULL" for name in STAT_COLUMNS)},
    {", ".join(f"cache_{name} bigint" for name in STAT_COLUMNS)}
) ON COMMIT DROP
"""

_CONTENT: Final = f"""
ingest.source_index AS content
    ON content.kind = 'source' AND content.path = seen.path
    AND {" AND ".join(f"content.{name} = seen.{name}" for name in STAT_COLUMNS)}
"""
"""What a file held when it was last read, provided that it has not changed since."""

_UNREAD: Final = f"""
SELECT seen.* FROM seen LEFT JOIN {_CONTENT} WHERE content.path IS NULL
"""  # noqa: S608 (only names of columns)

_TROUBLE: Final = """
lease.source_sha256 IS NOT NULL AS leased,
coalesce(letter.codes, '{}') AS dead,
(status = 'failed' OR letter.codes IS NOT NULL) IS TRUE AND EXISTS (
    SELECT FROM ingest.receipt_paths AS known
    WHERE known.source_sha256 = content.sha256 AND known.seen_at > greatest(state.updated_at, letter.dead_at)
) AS seen_again
"""

_FORGET: Final = f"""
DELETE FROM ingest.source_index AS content
WHERE kind = 'source' AND ({FOLDER} = ANY(:changed) OR {FOLDER} <> ALL(:visited))
  AND NOT EXISTS (SELECT FROM seen WHERE seen.path = content.path)
"""  # noqa: S608 (only names of columns)

_OPEN: Final = f"""
SELECT
    seen.path, content.sha256, cached.path IS NOT NULL AS cached, status, coalesce(attempts, 0) AS attempts,
    coalesce(terminal, false) AS terminal, coalesce(last_error_code, '') AS failure, completed_at, {_TROUBLE}
FROM seen
JOIN {_CONTENT}
LEFT JOIN {CACHED} AND {" AND ".join(f"cached.{name} = seen.cache_{name}" for name in STAT_COLUMNS)}
{STATES}
WHERE NOT {FINISHED} ORDER BY content.sha256, seen.path
"""  # noqa: S608 (only names of columns)


def _stream(connection: Connection, statement: str, page: int) -> Iterator[Sequence[Any]]:
    streamed = text(statement).execution_options(stream_results=True, max_row_buffer=page)
    yield from connection.execute(streamed).partitions(page)


def _line(seen: Seen) -> str:
    source = "\t".join(map(str, seen.source))
    cache = "\t".join(map(str, seen.cache)) if seen.cache else _NO_CACHE
    return f"{seen.path}\t{source}\t{cache}\n"
