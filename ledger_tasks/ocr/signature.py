"""PURE. Gray pixels of a page come in; its signature goes out: where it has ink, in bits that a second photo shares.

Of two photographs of one receipt, turned by a degree or two, in another light or size, about a tenth of the bits
differ; of receipts of different shops nearly half do. Receipts of one shop may come near: a signature is a sign beside
equal facts, never a proof.
"""

from typing import Final

import cv2
import numpy as np

from contracts.receipts.results import SIGNATURE_BITS
from ledger_tasks.ocr.engine import Pixels

Ink = np.ndarray[tuple[int, int], np.dtype[np.float32]]

ROWS: Final = 32
COLUMNS: Final = SIGNATURE_BITS // ROWS

SIDE: Final = 640
"""Pixels of the longer side on which ink is looked for: letters become smears of one size in every photograph."""

NEIGHBOURHOOD: Final = 31
"""Pixels around a point whose mean is its paper, so that a shadow is no ink."""

DUST: Final = 10
BLACK: Final = 70
"""Gray levels darker than the paper: up to DUST is none, from BLACK on all is one."""

MARGIN: Final = 0.02
"""Part of all ink that lies beyond each edge of what is compared: a mark beside the receipt moves no frame."""

SMEAR: Final = 0.8
"""Cells (standard deviation) over which ink is spread: a line that moved by its half stays alike."""


def signature(pixels: Pixels) -> str | None:
    """Return 128 hex digits, None for a page without ink."""
    height, width = pixels.shape
    frame = _frame(_ink(pixels), MARGIN)
    if frame is None:
        return None
    # Framed twice: only what stays has the same size in every photograph, whatever lay around it.
    top, bottom, left, right = frame
    ink = _ink(pixels[int(top * height) : int(bottom * height) + 1, int(left * width) : int(right * width) + 1])
    rows, columns = ink.shape
    top, bottom, left, right = _frame(ink, MARGIN / 2) or (0, 1, 0, 1)
    kept = ink[int(top * rows) : int(bottom * rows) + 1, int(left * columns) : int(right * columns) + 1]
    cells = cv2.GaussianBlur(cv2.resize(kept, (COLUMNS, ROWS), interpolation=cv2.INTER_AREA), (0, 0), SMEAR)
    return np.packbits(cells > np.median(cells)).tobytes().hex()


def _ink(pixels: Pixels) -> Ink:
    """Return how much darker than its surroundings each point of the shrunken page is."""
    height, width = pixels.shape
    scale = SIDE / max(height, width)
    size = max(8, round(width * scale)), max(8, round(height * scale))
    small = cv2.resize(np.ascontiguousarray(pixels), size, interpolation=cv2.INTER_AREA).astype(np.float32)
    paper = cv2.blur(small, (NEIGHBOURHOOD, NEIGHBOURHOOD))
    ink: Ink = np.clip(paper - small - DUST, 0, BLACK - DUST)
    return ink


def _frame(ink: Ink, margin: float) -> tuple[float, float, float, float] | None:
    """Return top, bottom, left and right of the ink as parts of the page (0 to 1)."""
    if not ink.any():
        return None
    edges: list[float] = []
    for axis in (1, 0):
        share = np.cumsum(ink.sum(axis=axis)) / ink.sum()
        edges += [float(np.searchsorted(share, each)) / len(share) for each in (margin, 1 - margin)]
    return edges[0], edges[1], edges[2], edges[3]
