"""Volumes prove themselves: root and cache come in; that both are the mounted ones, or Infrastructure, goes out."""

from pathlib import Path
from typing import Final
from uuid import UUID

from ledger_tasks.clock import new_id
from ledger_tasks.errors import Infrastructure
from ledger_tasks.files.shared import CACHE_UNAVAILABLE, read_whole, write_whole
from ledger_tasks.files.source import VOLUME_UNREADABLE

PROOF: Final = ".ledger-volume"
"""A UUID at the top of the receipt root and of the cache."""

ROOT_PROOF: Final = ".ledger-root-volume"
"""In the cache: the UUID of the receipt root that belongs to it."""

VOLUME_NOT_PROVEN: Final = "VOLUME_NOT_PROVEN"


def has_proof(volume: Path) -> bool:
    """Say whether a volume was ever initialised: a mount point without its volume was not."""
    return _read(volume / PROOF) is not None


def initialise(root: Path, cache: Path) -> None:
    """Write what is missing of the proofs: for publisher, `ledger dev up`, `ledger doctor --init`; never a worker.

    Raises Infrastructure when the cache remembers a root that is not here; nothing is written to a mount point then.
    """
    if _read(cache / ROOT_PROOF) is None:
        for folder in (root, cache):
            if _read(folder / PROOF) is None:
                write_whole(folder / PROOF, new_id().encode())
        write_whole(cache / ROOT_PROOF, (root / PROOF).read_bytes())
    prove(root, cache)


def prove(root: Path, cache: Path) -> None:
    """Return when both volumes are mounted and belong together. Raises Infrastructure, VOLUME_NOT_PROVEN if not."""
    found, remembered = _read(root / PROOF, VOLUME_UNREADABLE), _read(cache / ROOT_PROOF)
    if _read(cache / PROOF) is None or remembered is None:
        raise Infrastructure(VOLUME_NOT_PROVEN, "the cache volume is not mounted (it holds no proof)")
    if found is None:
        raise Infrastructure(VOLUME_NOT_PROVEN, "the receipt volume is not mounted (it holds no proof)")
    if found != remembered:
        raise Infrastructure(VOLUME_NOT_PROVEN, "the receipt volume is not the one that this cache belongs to")


def _read(path: Path, code: str = CACHE_UNAVAILABLE) -> str | None:
    content = read_whole(path, code)
    if content is None:
        return None
    try:
        return str(UUID(content.decode("ascii").strip()))
    except ValueError:
        return None
