"""The OCR cache: what one run read of one source, kept beside nothing but its own hash; bytes on disk, values here."""

import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import AwareDatetime, Field, ValidationError

from contracts.identity import RequestId, Sha256
from contracts.receipts.receipt import Receipt
from contracts.receipts.results import Pass
from contracts.wire import Wire, canonical
from ledger_tasks.files.shared import make_folder, read_whole, sync_folder, volume_trouble, write_whole

SCHEMA: Final = 1

NAME_BYTES: Final = 255
PATH_BYTES: Final = 4095
"""Longest name and path of a file on Linux; a receipt's own may be as long, and `.json` is one thing too many."""


class CachedRun(Wire):
    """One OCR run as it lies in the cache; `lines` holds text, confidence and box of every pass, losing ones too."""

    schema_version: Annotated[int, Field(ge=SCHEMA, le=SCHEMA)]
    source_sha256: Sha256
    ocr_run: RequestId
    generation: Annotated[int, Field(ge=1)]
    engine: str
    engine_version: str
    extractor_version: str
    processed_at: AwareDatetime
    processing_seconds: float
    timings: dict[str, float]
    pages: int
    receipt: Receipt
    passes: tuple[Pass, ...]
    lines: tuple[tuple[Any, ...], ...] = ()
    page_signature: str | None = None


@dataclass(frozen=True, slots=True)
class Cache:
    """A valid cache: the run, and the hash and size of the very bytes on disk."""

    run: CachedRun
    sha256: str
    size: int


def cache_path(cache: Path, reference: str) -> Path:
    """Return where the cache of a path lies."""
    return cache / f"{reference}.json"


def legacy_path(cache: Path, sha256: str) -> Path:
    """Return where caches named by source hash lay in former times, and lie whose own path is too long."""
    return cache / f"{sha256}.json"


def home_of(cache: Path, reference: str, sha256: str) -> Path:
    """Return where to write the cache of a source: at its path, unless no file can have that name."""
    path = cache_path(cache, reference)
    fits = len(os.fsencode(path.name)) <= NAME_BYTES and len(os.fsencode(path)) <= PATH_BYTES
    return path if fits else legacy_path(cache, sha256)


def artifact_path(cache: Path, cache_sha256: str) -> Path:
    """Return where the cache content of that hash is kept."""
    return cache / ".artifacts" / f"{cache_sha256}.json"


def find_cache(cache: Path, sha256: str, reference: str) -> Cache | None:
    """Return the valid cache of a source at its path, else at the legacy place; one of another hash is missing."""
    for path in (cache_path(cache, reference), legacy_path(cache, sha256)):
        found = read_cache(path, sha256)
        if found is not None:
            return found
    return None


def read_cache(path: Path, sha256: str) -> Cache | None:
    """Return what a file holds for this source hash, None when it is absent, damaged or another source's."""
    content = read_whole(path)
    if content is None:
        return None
    try:
        run = CachedRun.model_validate_json(content)
    except ValidationError:
        return None
    if run.source_sha256 != sha256:
        return None
    return Cache(run, hashlib.sha256(content).hexdigest(), len(content))


def read_artifact(cache: Path, cache_sha256: str, sha256: str) -> Cache | None:
    """Return a run by the hash of its cache content, None when it is gone."""
    return read_cache(artifact_path(cache, cache_sha256), sha256)


def write_cache(cache: Path, reference: str, run: CachedRun) -> Cache:
    """Write the cache of a path atomically and keep its content by hash. Raises Infrastructure."""
    content = canonical(run.model_dump(mode="json"))
    digest = hashlib.sha256(content).hexdigest()
    path, artifact = home_of(cache, reference, run.source_sha256), artifact_path(cache, digest)
    write_whole(path, content)
    with volume_trouble():
        make_folder(artifact.parent)
        with suppress(FileExistsError):
            os.link(path, artifact)
        sync_folder(artifact.parent)
    return Cache(run, digest, len(content))
