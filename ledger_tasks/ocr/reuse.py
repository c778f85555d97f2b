"""Whether finished work can be told again instead of done again: the rules of markers and caches."""

from dataclasses import dataclass
from pathlib import Path

from contracts.receipts.work import ProcessReceipt, Work
from ledger_tasks.files.cache import Cache, find_cache, read_artifact
from ledger_tasks.files.markers import read_marker


@dataclass(frozen=True, slots=True)
class Tell:
    """Emit the events of this cache; no OCR."""

    cache: Cache


@dataclass(frozen=True, slots=True)
class Silent:
    """The work is done and its events are confirmed or gone: acknowledge."""


@dataclass(frozen=True, slots=True)
class Fresh:
    """Nothing to reuse: OCR."""


Reuse = Tell | Silent | Fresh


def reuse(cache: Path, work: Work, publication: str) -> Reuse:
    """Decide by what lies on the volume. v1 reuses any valid cache; v2 and v3 need the marker of their own request."""
    current = find_cache(cache, work.source_sha256, work.source_reference)
    if current is None:
        return Fresh()
    if isinstance(work, ProcessReceipt):
        return Tell(current)
    marker = read_marker(cache, work.source_sha256, work.request_id)
    if marker is None:
        return Fresh()
    if marker.confirmed_publication is None:
        return Tell(current) if current.sha256 == marker.cache_sha256 else Fresh()
    own = read_artifact(cache, marker.cache_sha256, work.source_sha256)
    if own is None or marker.confirmed_publication == publication:
        return Silent()
    return Tell(own)
