"""Which starts the children of this worker have open, told by files: at SIGTERM the main process can ask nobody."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Final

from ledger_tasks.files.attempts import mark_stopping
from ledger_tasks.files.shared import volume_trouble

SCRATCH_UNAVAILABLE: Final = "SCRATCH_UNAVAILABLE"
"""Infrastructure code: the worker's own temporary folder is full, read-only or failing."""


class OpenStarts:
    """A folder of the main process, inherited by its forked children: one file per child, named by its pid."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="ledger-ocr-"))

    def tell(self, sha256: str, start: str | None) -> None:
        """In a child: this start of this source is open, or (None) none is. Raises Infrastructure."""
        mine = self._folder / str(os.getpid())
        with volume_trouble(SCRATCH_UNAVAILABLE):
            if start is None:
                mine.unlink(missing_ok=True)
            else:
                mine.write_text(f"{sha256} {start}")

    def mark_stopping(self, cache: Path) -> None:
        """In the main process at SIGTERM: a start that never ends from here on is no crash of the receipt's making."""
        for told in self._folder.iterdir():
            sha256, start = told.read_text().split()
            mark_stopping(cache, sha256, start)

    def remove(self) -> None:
        """In the main process at its end."""
        shutil.rmtree(self._folder, ignore_errors=True)
