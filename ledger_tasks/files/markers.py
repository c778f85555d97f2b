"""Completion markers: one file per finished request, so that a late duplicate never repeats OCR."""

from pathlib import Path
from typing import Final

from pydantic import ValidationError

from contracts.identity import RequestId, Sha256
from contracts.wire import Wire, canonical
from ledger_tasks.files.shared import read_whole, write_whole

FOLDER: Final = ".requests"


class Marker(Wire):
    """A finished request: which cache content it made, and the publication whose results the broker confirmed."""

    source_sha256: Sha256
    request_id: RequestId
    cache_sha256: Sha256
    confirmed_publication: str | None = None


def marker_path(cache: Path, sha256: str, request_id: str) -> Path:
    """Return where the marker of one request lies."""
    return cache / FOLDER / sha256 / f"{request_id}.json"


def read_marker(cache: Path, sha256: str, request_id: str) -> Marker | None:
    """Return the marker of a request; None when it is absent, damaged or another source's."""
    content = read_whole(marker_path(cache, sha256, request_id))
    if content is None:
        return None
    try:
        marker = Marker.model_validate_json(content)
    except ValidationError:
        return None
    return marker if (marker.source_sha256, marker.request_id) == (sha256, request_id) else None


def write_marker(cache: Path, marker: Marker) -> None:
    """Replace a marker atomically. Raises Infrastructure."""
    path = marker_path(cache, marker.source_sha256, marker.request_id)
    write_whole(path, canonical(marker.model_dump(mode="json")))
