"""Artifacts by their hash: bytes come in and are kept, or a lost cache is put back from what is kept."""

import hashlib
import os
import secrets
from pathlib import Path

from ledger_tasks.files.cache import artifact_path, find_cache, home_of, read_artifact
from ledger_tasks.files.locks import source_lock
from ledger_tasks.files.shared import make_folder, read_whole, sync_folder, volume_trouble, write_whole


def sound_artifact(cache: Path, sha256: str) -> bytes | None:
    """Return the content of that hash, None when it is absent or is not that content any more."""
    content = read_whole(artifact_path(cache, sha256))
    return content if content is not None and hashlib.sha256(content).hexdigest() == sha256 else None


def keep_artifact(cache: Path, sha256: str, content: bytes) -> None:
    """Keep the content of that hash, durably. Raises ValueError for another content, Infrastructure."""
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ValueError("the content is not that of the hash")
    if sound_artifact(cache, sha256) is None:
        write_whole(artifact_path(cache, sha256), content)


def can_put_back(cache: Path, source_sha256: str, cache_sha256: str) -> bool:
    """Say whether the artifact is sound and a run of this source. Raises Infrastructure."""
    found = read_artifact(cache, cache_sha256, source_sha256)
    return found is not None and found.sha256 == cache_sha256


def put_back(cache: Path, source_sha256: str, reference: str, cache_sha256: str, *, lock_seconds: float) -> bool:
    """Make the artifact the cache of that path again, unless a valid one is there; say whether it was.

    Raises Infrastructure, also when another worker holds the source for longer than `lock_seconds`.
    """
    with source_lock(cache, source_sha256, seconds=lock_seconds):
        if find_cache(cache, source_sha256, reference) or not can_put_back(cache, source_sha256, cache_sha256):
            return False
        path = home_of(cache, reference, source_sha256)
        with volume_trouble():
            make_folder(path.parent)
            temporary = path.parent / f".{secrets.token_hex(8)}.tmp"
            os.link(artifact_path(cache, cache_sha256), temporary)
            temporary.replace(path)
            sync_folder(path.parent)
    return True
