"""Volumes that prove themselves, for publishers: a new one gets its proof, one that is not mounted ends the work."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ledger_tasks.errors import DependencyDownError, Infrastructure
from ledger_tasks.files.volumes import VOLUME_NOT_PROVEN, initialise


def prove_mounted(root: Path, cache: Path) -> None:
    """Return when both volumes are the ones that belong together. Raises DependencyDownError."""
    with volumes_needed():
        if not root.is_dir():
            raise Infrastructure(VOLUME_NOT_PROVEN, "the receipt root is not there")
        initialise(root, cache)


@contextmanager
def volumes_needed() -> Iterator[None]:
    """Turn trouble with a volume inside the block into DependencyDownError."""
    try:
        yield
    except Infrastructure as trouble:
        raise DependencyDownError(
            f"the volumes cannot be used: {trouble.detail}",
            remedy="Mount the receipt root and the cache that belong together; nothing was published.",
            next_command="ledger doctor",
        ) from trouble
