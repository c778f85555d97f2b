"""Volumes that prove themselves, for publishers: a new one gets its proof, one that is not mounted ends the work."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ledger_tasks.errors import DependencyDownError, Infrastructure
from ledger_tasks.files.volumes import VOLUME_NOT_PROVEN, has_proof, initialise


def prove_mounted(root: Path, cache: Path, was_used: Callable[[], bool] | None = None) -> None:
    """Return when both volumes are the ones that belong together. Raises DependencyDownError.

    A cache without its proof is new only where nothing was done before, else it is not mounted: `was_used` says so,
    asked only then; without it a root that has a proof does.
    """
    with volumes_needed():
        is_new = not has_proof(cache)
        known = is_new and was_used is None and has_proof(root)
    if known or (is_new and was_used is not None and was_used()):
        raise DependencyDownError(
            "the cache volume is not mounted: it holds no proof, and receipts were processed before",
            remedy="Mount it. If a new, empty cache is what you want, say so once with `ledger doctor --init`: "
            "the next scan then asks for every cache again.",
            next_command="ledger doctor",
        )
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
