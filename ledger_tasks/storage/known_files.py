"""What is known of the files before a scan looks: which of them are surely finished, summed up by folder.

The SQL that says so is public here: the scan's own view asks the same of each file.
"""

from typing import Final, NamedTuple

from sqlalchemy import Connection, text

Stat = tuple[int, int, int, int, int]
"""Device, inode, size in bytes, mtime and ctime in nanoseconds."""


def has_finished(connection: Connection) -> bool:
    """Say whether any receipt was ever finished: then there was a cache."""
    statement = "SELECT EXISTS (SELECT FROM ingest.receipt_processing_status WHERE completed_at IS NOT NULL)"
    return bool(connection.execute(text(statement)).scalar_one())


class KnownFolder(NamedTuple):
    """What the index holds of a folder.

    `finished`: how many files surely are, the five sums of their stats, the five of their caches'. `open`: how many
    others.
    """

    finished: tuple[int, ...]
    open: int


def known_folders(connection: Connection) -> dict[str, KnownFolder]:
    """Return what is known of each folder, by its name as FOLDER writes it."""
    rows = connection.execute(text(_KNOWN_FOLDERS))
    return {row[0]: KnownFolder(tuple(map(int, row[2:])), row[1]) for row in rows}


STAT_COLUMNS: Final = ("device", "inode", "size_bytes", "mtime_ns", "ctime_ns")
"""A Stat in the index, in its order."""

STATES: Final = """
LEFT JOIN ingest.receipt_processing_status AS state ON state.source_sha256 = content.sha256
LEFT JOIN (
    SELECT DISTINCT source_sha256 FROM ingest.publications WHERE state <> 'ended'
) AS lease ON lease.source_sha256 = content.sha256
LEFT JOIN (
    SELECT source_sha256, array_agg(DISTINCT code) AS codes, max(dead_at) AS dead_at
    FROM budget.dead_letters WHERE state IN ('open', 'replaying') GROUP BY source_sha256
) AS letter ON letter.source_sha256 = content.sha256
"""
"""What became of the receipt whose hash a row `content` of the index holds."""

CACHED: Final = """
ingest.source_index AS cached
    ON cached.kind = 'cache' AND cached.path = content.path || '.json' AND cached.sha256 = content.sha256
"""
"""The cache file beside it, as it was when it was last read."""

FINISHED: Final = """(
    completed_at IS NOT NULL AND cached.path IS NOT NULL AND lease.source_sha256 IS NULL AND letter.codes IS NULL
)"""
"""Nothing is to do for it while its file and its cache keep their stats."""

FOLDER: Final = """
CASE position('/' IN content.path)
    WHEN 0 THEN '' ELSE left(content.path, 1 + length(content.path) - position('/' IN reverse(content.path)))
END
"""
"""Its folder; the name ends with a slash, and the root's is empty."""

_SUMS: Final = ", ".join(
    f"coalesce(sum({of}_{name}) FILTER (WHERE done), 0)" for of in ("content", "cached") for name in STAT_COLUMNS
)

_KNOWN_FOLDERS: Final = f"""
SELECT folder, count(*) FILTER (WHERE NOT done), count(*) FILTER (WHERE done), {_SUMS}
FROM (
    SELECT {FOLDER} AS folder, {FINISHED} AS done,
        {", ".join(f"{of}.{name} AS {of}_{name}" for of in ("content", "cached") for name in STAT_COLUMNS)}
    FROM ingest.source_index AS content LEFT JOIN {CACHED} {STATES}
    WHERE content.kind = 'source'
) AS file
GROUP BY folder
"""  # noqa: S608 (only names of columns)
