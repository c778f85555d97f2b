"""The two volumes come in; every source, cache, artifact and marker on them is read, and goes out as what it is."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ledger_tasks.discovery.walk import Found, Invalid, Unsupported, walk
from ledger_tasks.errors import Infrastructure, Terminal
from ledger_tasks.files import canary, markers
from ledger_tasks.files.artifacts import sound_artifact
from ledger_tasks.files.cache import CachedRun, artifact_path
from ledger_tasks.files.markers import Marker, read_marker
from ledger_tasks.files.shared import read_whole, volume_trouble
from ledger_tasks.files.source import SOURCE_UNREADABLE, content_hash, open_source


class Source(NamedTuple):
    """A file below the root: its content and stat, or why it cannot be a receipt."""

    reference: str
    sha256: str | None
    stat: tuple[int, ...]
    trouble: str = ""


class CacheFile(NamedTuple):
    """A cache at a path (a legacy one at that of its hash): its own hash, and that of its source unless damaged."""

    reference: str
    sha256: str
    source_sha256: str | None


class MarkerFile(NamedTuple):
    """A completion marker; `marker` is None when it is damaged."""

    source_sha256: str
    request_id: str
    marker: Marker | None


def sources(root: Path) -> Iterator[Source]:
    """Yield every file that may be a receipt, read to its end. Raises Infrastructure when the root fails."""
    for sight in walk(root):
        match sight:
            case Found(reference, fingerprint):
                yield _source(root, reference, fingerprint)
            case Invalid(reference, reason):
                yield Source(reference, None, (), reason)
            case Unsupported():
                pass


def caches(cache: Path) -> Iterator[CacheFile]:
    """Yield every cache. Raises Infrastructure."""
    with volume_trouble():
        for folder, below, names in os.walk(cache):
            below[:] = sorted(name for name in below if not name.startswith(".") and name != canary.FOLDER)
            for name in sorted(names):
                if name.endswith(".json") and not name.startswith("."):
                    yield _cache(Path(folder) / name, os.path.relpath(f"{folder}/{name}", cache)[: -len(".json")])


def artifact_state(cache: Path, sha256: str) -> str | None:
    """Return the code of what is wrong with an artifact, None when it is sound. Raises Infrastructure."""
    if sound_artifact(cache, sha256) is not None:
        return None
    with volume_trouble():
        return "ARTIFACT_DAMAGED" if artifact_path(cache, sha256).exists() else "ARTIFACT_MISSING"


def marker_files(cache: Path) -> Iterator[MarkerFile]:
    """Yield every completion marker. Raises Infrastructure."""
    with volume_trouble():
        for path in sorted((cache / markers.FOLDER).glob("*/[!.]*.json")):
            sha256, request = path.parent.name, path.stem
            yield MarkerFile(sha256, request, read_marker(cache, sha256, request))


def _source(root: Path, reference: str, stat: tuple[int, ...]) -> Source:
    try:
        with open_source(root, reference) as file:
            return Source(reference, content_hash(file), stat)
    except Terminal as broken:
        return Source(reference, None, stat, broken.detail)
    except Infrastructure as trouble:
        if trouble.code != SOURCE_UNREADABLE:
            raise
        return Source(reference, None, stat, trouble.detail)


def _cache(path: Path, reference: str) -> CacheFile:
    content = read_whole(path) or b""
    digest = hashlib.sha256(content).hexdigest()
    try:
        return CacheFile(reference, digest, CachedRun.model_validate_json(content).source_sha256)
    except ValueError:
        return CacheFile(reference, digest, None)
