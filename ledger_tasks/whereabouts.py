"""A receipt's hash comes in; what database, cache volume and locks know of it goes out, for `explain` and the pages."""

from pathlib import Path

from sqlalchemy import Connection

from ledger_tasks.errors import Infrastructure
from ledger_tasks.explain import Known
from ledger_tasks.files.attempts import starts_of, stopping_starts
from ledger_tasks.files.locks import is_locked
from ledger_tasks.files.volumes import prove
from ledger_tasks.storage.explaining import open_letters, stand
from ledger_tasks.storage.receipt_list import listed_receipt


def whereabouts(connection: Connection, sha256: str, root: Path, cache: Path) -> Known:
    """Return what is known of a receipt that `ingest` holds. Raises Infrastructure when the cache cannot be read."""
    brief, found = listed_receipt(connection, sha256), stand(connection, sha256)
    assert brief is not None, "the caller has a hash that ingest knows"
    gone = stopping_starts(cache, sha256)
    begun = found.leased_since or found.since
    starts = [each for each in starts_of(cache, sha256) if each.id not in gone and (begun is None or each.at >= begun)]
    return Known(
        **vars(found),
        reference=brief.source_reference,
        letters=open_letters(connection, sha256),
        starts=sorted(starts, key=lambda each: each.at),
        locked=is_locked(cache, sha256),
        volume_trouble=_volume_trouble(root, cache),
    )


def _volume_trouble(root: Path, cache: Path) -> str | None:
    try:
        prove(root, cache)
    except Infrastructure as trouble:
        return f"{trouble.code}: {trouble.detail}"
    return None
