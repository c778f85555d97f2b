"""Which receipts still have their OCR cache: hashes with their paths come in, the hashes with a valid cache go out."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from sqlalchemy import Connection

from ledger_tasks.files.cache import cache_path, legacy_path, read_cache
from ledger_tasks.files.stat_index import look_surely
from ledger_tasks.storage.source_index import Read, cache_index, record_caches


def present(connection: Connection, cache: Path, wanted: Mapping[str, Sequence[str]]) -> set[str]:
    """Return the hashes of which some known path has a valid cache.

    A file that is unchanged since it was last read is not opened; one that was read is remembered. Raises
    Infrastructure.
    """
    candidates = [(sha256, path) for sha256, paths in wanted.items() for path in _places(cache, sha256, paths)]
    names = {path: str(path.relative_to(cache)) for _, path in candidates}
    known = cache_index(connection, list(names.values()))
    found: set[str] = set()
    fresh: dict[str, Read] = {}
    for sha256, path in candidates:
        stat = look_surely(path)
        if stat is None or sha256 in found:
            continue
        if known.get(names[path]) == (stat, sha256):
            found.add(sha256)
        elif read_cache(path, sha256) is not None:
            found.add(sha256)
            if look_surely(path) == stat:
                fresh[names[path]] = Read(names[path], stat, sha256)
    if fresh:
        record_caches(connection, list(fresh.values()))
    return found


def _places(cache: Path, sha256: str, paths: Sequence[str]) -> Iterator[Path]:
    yield from (cache_path(cache, path) for path in paths)
    yield legacy_path(cache, sha256)
