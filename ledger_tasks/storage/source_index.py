"""The stat index and the paths of receipts: what files held when they were read is written and looked up here."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from sqlalchemy import ARRAY, BigInteger, Connection, Text, TextClause, bindparam, text

from ledger_tasks.storage.known_files import Stat


class Read(NamedTuple):
    """A file that was read: its path, its stat before and after, and the hash (of a cache: the one it names)."""

    path: str
    stat: Stat
    sha256: str


def record_sources(connection: Connection, read: Sequence[Read]) -> None:
    """Remember what source files hold: the receipt, the path at which it lies now, and the stat that stands for it."""
    rows = sorted(read, key=lambda each: (each.sha256, each.path))
    values = {"paths": [each.path for each in rows], "hashes": [each.sha256 for each in rows]}
    connection.execute(_typed(_RECEIPTS), values)
    connection.execute(_typed(_PATHS), values)
    _index(connection, "source", rows)


def record_caches(connection: Connection, read: Sequence[Read]) -> None:
    """Remember which source each valid cache file names; paths are below the cache root."""
    _index(connection, "cache", sorted(read, key=lambda each: each.path))


def cache_index(connection: Connection, paths: Sequence[str]) -> dict[str, tuple[Stat, str]]:
    """Return the stat and the source hash of the cache files that are known, by path."""
    rows = connection.execute(_typed(_CACHES), {"paths": list(paths)})
    return {row.path: (tuple(row[1:6]), row.sha256) for row in rows}


def paths_of(connection: Connection, hashes: Sequence[str]) -> dict[str, list[str]]:
    """Return every known path of each hash, in the order of paths."""
    found: dict[str, list[str]] = {}
    for sha256, path in connection.execute(_typed(_PATHS_OF), {"hashes": list(hashes)}):
        found.setdefault(sha256, []).append(path)
    return found


_RECEIPTS: Final = """
INSERT INTO ingest.receipts (source_sha256, source_reference)
SELECT DISTINCT ON (sha256) sha256, path FROM unnest(:paths, :hashes) AS read (path, sha256) ORDER BY sha256, path
ON CONFLICT DO NOTHING
"""

_PATHS: Final = """
INSERT INTO ingest.receipt_paths (source_reference, source_sha256, seen_at)
SELECT path, sha256, now() FROM unnest(:paths, :hashes) AS read (path, sha256) ORDER BY path
ON CONFLICT (source_reference) DO UPDATE SET source_sha256 = excluded.source_sha256, seen_at = excluded.seen_at
"""

_INDEX: Final = """
INSERT INTO ingest.source_index (kind, path, device, inode, size_bytes, mtime_ns, ctime_ns, sha256)
SELECT :kind, * FROM unnest(:paths, :device, :inode, :size, :mtime, :ctime, :hashes)
ON CONFLICT (kind, path) DO UPDATE SET
    device = excluded.device, inode = excluded.inode, size_bytes = excluded.size_bytes,
    mtime_ns = excluded.mtime_ns, ctime_ns = excluded.ctime_ns, sha256 = excluded.sha256
"""

_CACHES: Final = """
SELECT path, device, inode, size_bytes, mtime_ns, ctime_ns, sha256
FROM ingest.source_index WHERE kind = 'cache' AND path = ANY(:paths)
"""

_PATHS_OF: Final = """
SELECT source_sha256, source_reference FROM ingest.receipt_paths
WHERE source_sha256 = ANY(:hashes) ORDER BY source_reference
"""

_NUMBERS: Final = ("device", "inode", "size", "mtime", "ctime")


def _index(connection: Connection, kind: str, rows: Sequence[Read]) -> None:
    numbers = {name: [each.stat[place] for each in rows] for place, name in enumerate(_NUMBERS)}
    texts = {"kind": kind, "paths": [each.path for each in rows], "hashes": [each.sha256 for each in rows]}
    connection.execute(_typed(_INDEX), texts | numbers)


def _typed(statement: str) -> TextClause:
    arrays = {"paths": ARRAY(Text), "hashes": ARRAY(Text)} | dict.fromkeys(_NUMBERS, ARRAY(BigInteger))
    named = [bindparam(name, type_=kind) for name, kind in arrays.items() if f":{name}" in statement]
    return text(statement).bindparams(*named)
