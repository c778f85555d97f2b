"""Progress of a batch across pods: one manifest written once, one file per finished request."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, ValidationError

from contracts.identity import RequestId, Sha256
from contracts.wire import Wire, canonical
from ledger_tasks.files.shared import read_whole, volume_trouble, write_whole

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
    with volume_trouble():
        folder = cache / FOLDER / batch_id
        return sum(1 for path in folder.iterdir() if path.suffix == ".done") if folder.is_dir() else 0


def _manifest(cache: Path, batch_id: str) -> Path:
    return cache / FOLDER / batch_id / MANIFEST
