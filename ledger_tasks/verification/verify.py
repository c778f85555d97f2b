"""Database, receipt root and cache come in; every difference between them goes out, in a fixed order."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from sqlalchemy import Engine

from ledger_tasks.storage.database import at_one_moment, transaction
from ledger_tasks.storage.verifying import Rows, rows_about_files
from ledger_tasks.verification.finding import Finding, finding
from ledger_tasks.verification.volumes import CacheFile, Source, artifact_state, caches, marker_files, sources


def verify(engine: Engine, root: Path, cache: Path, on_read: Callable[[int], None] = lambda _: None) -> list[Finding]:
    """Read every file of both volumes and every row about them; `on_read` is told how many sources were read.

    Rows are read first, and files change while workers run: what was under way is no finding the next time.
    Raises Infrastructure.
    """
    with transaction(at_one_moment(engine)) as connection:
        rows = rows_about_files(connection)
    files: dict[str, Source] = {}
    for source in sources(root):
        files[source.reference] = source
        on_read(len(files))
    laid = list(caches(cache))
    return [
        *_sources(files, rows),
        *_caches(laid, files, rows),
        *_artifacts(cache, rows),
        *_markers(cache, rows),
        *(finding(each.code, each.reference or None, each.source_sha256) for each in rows.contradictions),
        *(finding("COUNTS_DIFFER", None, None, each) for each in rows.miscounted),
    ]


def _sources(files: Mapping[str, Source], rows: Rows) -> Iterator[Finding]:
    for reference, source in sorted(files.items()):
        stat, sha256 = rows.stats.get(reference, ((), None))
        if source.sha256 is None:
            yield finding("SOURCE_UNUSABLE", reference, None, source.trouble)
        elif stat == tuple(source.stat) and sha256 != source.sha256:
            yield finding("SOURCE_ALTERED", reference, sha256)
        elif source.sha256 not in rows.known:
            yield finding("SOURCE_UNKNOWN", reference, source.sha256)
    there = {source.sha256 for source in files.values()}
    for sha256, reference in sorted(rows.finished.items(), key=lambda each: each[1]):
        if sha256 not in there:
            yield finding("SOURCE_GONE", reference, sha256)


def _caches(laid: list[CacheFile], files: Mapping[str, Source], rows: Rows) -> Iterator[Finding]:
    there = {source.sha256 for source in files.values()}
    for each in laid:
        file = files.get(each.reference)
        expected = file.sha256 if file else each.reference if each.reference in there else None
        if expected is None:
            yield finding("CACHE_ORPHAN", each.reference, each.source_sha256)
        elif each.source_sha256 is None:
            yield finding("CACHE_DAMAGED", each.reference, expected)
        elif each.source_sha256 != expected:
            yield finding("CACHE_FOREIGN", each.reference, expected)
        elif expected in rows.finished and each.sha256 not in rows.caches:
            yield finding("CACHE_UNTOLD", each.reference, expected)
    cached = {each.source_sha256 for each in laid}
    broken = {each.reference for each in laid if each.source_sha256 is None}
    missing = {source.sha256: reference for reference, source in files.items() if reference not in broken}
    for sha256, reference in sorted(missing.items(), key=lambda each: each[1]):
        if sha256 in rows.finished and sha256 not in cached:
            yield finding("CACHE_MISSING", reference, sha256)


def _artifacts(cache: Path, rows: Rows) -> Iterator[Finding]:
    for named in rows.artifacts:
        code = artifact_state(cache, named.sha256)
        if code == "ARTIFACT_MISSING" and not named.applied:
            code = "ARTIFACT_OLD_MISSING"
        if code:
            yield finding(code, named.reference, named.source_sha256, named.sha256)


def _markers(cache: Path, rows: Rows) -> Iterator[Finding]:
    for each in marker_files(cache):
        if each.marker is None:
            yield finding("MARKER_DAMAGED", None, each.source_sha256, each.request_id)
        elif each.marker.confirmed_publication and (each.source_sha256, each.request_id) not in rows.requests:
            yield finding("MARKER_UNTOLD", None, each.source_sha256, each.request_id)
