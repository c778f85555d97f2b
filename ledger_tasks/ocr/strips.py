"""A page and the boxes of some rows come in; a picture of those rows alone, enlarged, goes out."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from contracts.receipts.receipt import Box
from ledger_tasks.ocr.engine import Pixels

STRIP_MARGIN: Final = 0.4
"""Part of a row's height kept above and below it for the second opinion."""

STRIP_HEIGHT: Final = 64
"""Pixels to which a strip is enlarged: Tesseract reads letters of some 30 pixels best."""


def strips(pixels: Pixels, boxes: Sequence[Box]) -> Pixels:
    """Cut rows out of a page, each enlarged to a height that is read well, one below the other on white."""
    cuts = []
    for left, top, right, bottom in boxes:
        margin = round(STRIP_MARGIN * (bottom - top))
        cut = pixels[max(0, top - margin) : bottom + margin, max(0, left - 3 * margin) : right + 3 * margin]
        times = max(1, STRIP_HEIGHT // max(cut.shape[0], 1))
        cuts.append(np.repeat(np.repeat(cut, times, axis=0), times, axis=1))
    width = max(cut.shape[1] for cut in cuts)
    white = [np.pad(cut, ((STRIP_HEIGHT // 4,) * 2, (0, width - cut.shape[1])), constant_values=255) for cut in cuts]
    return np.ascontiguousarray(np.vstack(white))
