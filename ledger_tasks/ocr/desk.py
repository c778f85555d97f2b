"""What processing one receipt needs from outside, in one place."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from contracts.receipts.results import Worker
from ledger_tasks.ocr.budget import Owed
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
    owed: list[Owed] = field(default_factory=list)
    """Ends of starts that the volume could not take: with the next delivery."""
