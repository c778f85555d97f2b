"""The hints of the publisher on the cache volume: values in one file, replaced whole, read by every OCR worker."""

import hashlib
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from contracts.wire import canonical
from ledger_tasks.extraction.hints import Hints
from ledger_tasks.files.shared import read_whole, write_whole

MAX_BYTES: Final = 4 * 1024 * 1024
"""Half of what a reader takes with one request; a larger file is not ours."""

NOTHING: Final = Hints()


def hints_path(cache: Path) -> Path:
    """Return where the hints lie; the number is the version of the format."""
    return cache / ".hints" / "merchants.v1.json"


def write_hints(cache: Path, hints: Hints) -> bool:
    """Replace the hints when they changed, and say whether they did. Raises Infrastructure.

    Their revision is the beginning of their own hash, so that a reading can name what it was told.
    """
    told = hints.model_dump(mode="json", exclude={"revision"})
    content = canonical(told | {"revision": hashlib.sha256(canonical(told)).hexdigest()[:12]})
    path = hints_path(cache)
    if read_whole(path) == content or (not hints.merchants and read_whole(path) is None):
        return False
    write_whole(path, content)
    return True


def read_hints(cache: Path) -> Hints:
    """Return the hints; none where there is no file, or one that is damaged, too large or of another version.

    Raises Infrastructure when the volume fails.
    """
    content = read_whole(hints_path(cache))
    if content is None or len(content) > MAX_BYTES:
        return NOTHING
    try:
        return Hints.model_validate_json(content)
    except ValidationError:
        return NOTHING
