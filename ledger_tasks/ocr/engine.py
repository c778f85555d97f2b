"""What an OCR engine is: a gray page comes in, lines with boxes in the pixels of that page go out."""

from typing import Protocol

import numpy as np

from ledger_tasks.extraction.lines import Line

Pixels = np.ndarray[tuple[int, int], np.dtype[np.uint8]]
"""Gray picture, (height, width)."""


class Engine(Protocol):
    """An engine loads its models when it is made and is used by one thread."""

    name: str
    psm: int | None
    """Page segmentation mode, for engines that have one."""
    version: str

    def read(self, pixels: Pixels, page: int) -> list[Line]:
        """Return the lines found. Raises RuntimeError or MemoryError from the engine's own code."""
