"""What processing one receipt needs from outside, in one place."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from contracts.receipts.results import Worker
from ledger_tasks.ocr.protocol import Reading


@dataclass(frozen=True, slots=True)
class Desk:
    """The two volumes, the reader, and who and when we are."""

    root: Path
    cache: Path
    artifact_prefix: str
    lock_seconds: float
    read: Callable[[bytes], Reading]
    worker: Worker
    now: Callable[[], datetime]
    open_start: Callable[[str, str | None], None]
    """Tell the main process which start of which source is open, or None when none is."""
