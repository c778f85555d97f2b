"""Progress of a batch across pods: one manifest written once, one file per finished request."""

from pathlib import Path
from typing import Final

from contracts.wire import canonical
from ledger_tasks.files.shared import read_whole, volume_trouble, write_whole

FOLDER: Final = ".batches"
MANIFEST: Final = "manifest.json"


def record_finished(cache: Path, batch_id: str, request_id: str, total: int) -> int:
    """Record one finished request and return how many are finished; the same request counts once."""
    folder = cache / FOLDER / batch_id
    if read_whole(folder / MANIFEST) is None:
        write_whole(folder / MANIFEST, canonical({"batch_id": batch_id, "total": total}))
    write_whole(folder / f"{request_id}.done", b"")
    return min(finished(cache, batch_id), total)


def finished(cache: Path, batch_id: str) -> int:
    """Return how many requests of a batch are finished."""
    with volume_trouble():
        folder = cache / FOLDER / batch_id
        return sum(1 for path in folder.iterdir() if path.suffix == ".done") if folder.is_dir() else 0
