"""Progress of a batch across pods: one manifest written once, one file per finished request."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple

from pydantic import Field, ValidationError

from contracts.identity import RequestId, Sha256
from contracts.wire import Wire, canonical
from ledger_tasks.files.shared import names_in, read_whole, volume_trouble, write_whole

FOLDER: Final = ".batches"
MANIFEST: Final = "manifest.json"


class Manifest(Wire):
    """What a batch consists of. One that a worker had to write knows the total only, and no requests."""

    batch_id: RequestId
    total: Annotated[int, Field(ge=0)]
    mode: Literal["reprocess", "cache_only"] = "cache_only"
    requests: tuple[tuple[Sha256, RequestId], ...] = ()


def announce(
    cache: Path, batch_id: str, mode: Literal["reprocess", "cache_only"], requests: Sequence[tuple[str, str]]
) -> None:
    """Write the manifest of a batch before its first message; a rerun finds it and leaves it. Raises Infrastructure."""
    if read_manifest(cache, batch_id) is None:
        made = Manifest(batch_id=batch_id, total=len(requests), mode=mode, requests=tuple(requests))
        write_whole(_manifest(cache, batch_id), canonical(made.model_dump(mode="json")))


def read_manifest(cache: Path, batch_id: str) -> Manifest | None:
    """Return the manifest of a batch, None when there is none or it is damaged."""
    content = read_whole(_manifest(cache, batch_id))
    if content is None:
        return None
    try:
        return Manifest.model_validate_json(content)
    except ValidationError:
        return None


def record_finished(cache: Path, batch_id: str, request_id: str, total: int) -> int:
    """Record one finished request and return how many are finished; the same request counts once."""
    if read_whole(_manifest(cache, batch_id)) is None:
        write_whole(_manifest(cache, batch_id), canonical({"batch_id": batch_id, "total": total}))
    write_whole(_manifest(cache, batch_id).with_name(f"{request_id}.done"), b"")
    return min(finished(cache, batch_id), total)


def finished(cache: Path, batch_id: str) -> int:
    """Return how many requests of a batch are finished."""
    return sum(name.endswith(".done") for name in names_in(cache / FOLDER / batch_id))


class KnownBatch(NamedTuple):
    """A batch and how many of its cache rebuilds are finished; the database knows of reprocessing."""

    manifest: Manifest
    finished: int
    changed_at: datetime


def newest_batches(cache: Path, count: int) -> list[KnownBatch]:
    """Return the batches that changed last, the newest first."""
    folders = [cache / FOLDER / name for name in names_in(cache / FOLDER)]
    with volume_trouble():
        changed = {folder: folder.stat().st_mtime for folder in folders if folder.is_dir()}
    newest = sorted(changed, key=lambda folder: changed[folder], reverse=True)[:count]
    manifests = {folder: read_manifest(cache, folder.name) for folder in newest}
    return [
        KnownBatch(manifest, finished(cache, folder.name), datetime.fromtimestamp(changed[folder], UTC))
        for folder, manifest in manifests.items()
        if manifest is not None
    ]


def _manifest(cache: Path, batch_id: str) -> Path:
    return cache / FOLDER / batch_id / MANIFEST
