"""A gray page comes in; the box of its ink goes out: what surrounds a receipt on a scanner costs time, not text."""

from typing import Final

import numpy as np

from contracts.receipts.receipt import Box
from ledger_tasks.ocr.engine import Pixels

STEP: Final = 4
"""Every fourth pixel is looked at; print is thicker."""

CONTRAST: Final = 40
"""Gray levels between paper and ink."""

SPECKS: Final = 2
"""Dark points in a line of pixels below which it holds dust."""

PAD: Final = 20
"""Pixels kept around the ink: detection needs paper around letters."""


def ink_box(pixels: Pixels) -> Box:
    """Return left, top, right, bottom of what differs from the paper; the whole page when nothing does."""
    height, width = pixels.shape
    seen = pixels[::STEP, ::STEP].astype(np.int16)
    ink = np.abs(seen - np.median(seen)) > CONTRAST
    lines = np.flatnonzero(ink.sum(axis=1) >= SPECKS)
    columns = np.flatnonzero(ink.sum(axis=0) >= SPECKS)
    if not len(lines) or not len(columns):
        return 0, 0, width, height
    return (
        max(0, int(columns[0]) * STEP - PAD),
        max(0, int(lines[0]) * STEP - PAD),
        min(width, int(columns[-1] + 1) * STEP + PAD),
        min(height, int(lines[-1] + 1) * STEP + PAD),
    )
