"""RapidOCR (PP-OCRv6) on OpenVINO: the primary engine for Latin scripts."""

import logging
from importlib.metadata import version
from typing import Any, Final

import cv2
import numpy as np
import rapidocr
from rapidocr.inference_engine.openvino import main as openvino_session
from rapidocr.utils.typings import EngineType

from ledger_tasks.extraction.lines import Line
from ledger_tasks.ocr.engine import Pixels

DETECTION_SIDE: Final = 960
"""Pixels of the longer side on which text is looked for; recognition uses the full page."""

NARROWEST: Final = 400
"""Pixels to which the shorter side may shrink for detection: a till roll of a metre keeps readable letters."""

LONGEST_SIDE: Final = 2400
"""Pixels of the longer side for detection, however long the roll."""

CROP_HEIGHT: Final = 48
"""Height at which the model recognizes a line."""

CROP_WIDTH: Final = 96
"""Least width of a line of text."""

SHORT_WIDTH: Final = 160
"""Width below which a line gets WIDTH_STEP of nothing behind it: without it short amounts lose digits."""

LINES_AT_ONCE: Final = 2
"""Lines of like width that are recognized together: saves a twelfth of the CPU; with more, padding eats the gain."""

WIDTH_STEP: Final = 32
"""Lines are padded to a multiple of this: OpenVINO prepares a shape anew whenever it has not just seen it."""

OPENVINO: Final = {
    "INFERENCE_NUM_THREADS": 1,
    "NUM_STREAMS": 1,
    # Pinned, every one-thread process of a machine computes on the same core.
    "ENABLE_CPU_PINNING": False,
}
DETECTION_CACHE: Final = 0
"""Shapes kept by OpenVINO for detection: every page has its own, and all of them are gigabytes after some hundred."""

RECOGNITION_CACHE: Final = 1000
"""Enough for the few widths of lines: saves an eighth of the CPU for 100 MB, and stays there."""


class RapidOcr:
    """Models of the wheel, no download; one thread."""

    name: str = "rapidocr"
    psm: int | None = None

    def __init__(self) -> None:
        logging.getLogger("RapidOCR").setLevel(logging.ERROR)
        cv2.setNumThreads(1)
        self.version = version("rapidocr")
        make: Any = rapidocr.RapidOCR
        self._engine = make(
            params={
                "Global.use_cls": False,
                "Global.text_score": 0.0,
                "Global.log_level": "error",
                "Global.max_side_len": 1_000_000,
                "Det.engine_type": EngineType.OPENVINO,
                "Det.limit_type": "max",
                "Rec.engine_type": EngineType.OPENVINO,
                "Rec.rec_batch_num": LINES_AT_ONCE,
                "Rec.rec_img_shape": [3, CROP_HEIGHT, CROP_WIDTH],
            }
        )
        vars(openvino_session)["CPUConfig"] = _properties(DETECTION_CACHE)
        self._detector = self._engine._load_det_model()  # noqa: SLF001 (made on first use; we adjust them)
        vars(openvino_session)["CPUConfig"] = _properties(RECOGNITION_CACHE)
        recognizer = self._engine._load_rec_model()  # noqa: SLF001 (same)
        recognizer.session = _Padded(recognizer.session)

    def read(self, pixels: Pixels, page: int, detection_side: int = DETECTION_SIDE) -> list[Line]:
        """Return the lines of a page, top to bottom."""
        self._detector.limit_side_len = _side(pixels, detection_side)
        found = self._engine(np.stack([pixels] * 3, axis=-1))
        if found.boxes is None:
            return []
        return [
            Line(text, float(score), _box(corners), page, _slope(corners))
            for corners, text, score in zip(found.boxes, found.txts, found.scores, strict=True)
        ]


def _properties(cache: int) -> type:
    """Return what stands for RapidOCR's own class, which has no way to say all of this."""

    class Properties:
        def __init__(self, _configuration: object) -> None:
            pass

        def get_config(self) -> dict[str, Any]:
            return OPENVINO | {"CPU_RUNTIME_CACHE_CAPACITY": cache}

    return Properties


class _Padded:
    """A recognition session that sees few widths; zero is the padding that the model was trained with.

    What it answers lies in memory of OpenVINO until the next call: a copy would be a megabyte for each line.
    """

    def __init__(self, session: Any) -> None:
        self._request = session.session

    def __call__(self, lines: np.ndarray[Any, Any]) -> Any:
        missing = _width(lines.shape[3]) - lines.shape[3]
        padded = np.pad(lines, ((0, 0), (0, 0), (0, 0), (0, missing))) if missing else lines
        return self._request.infer([padded], share_inputs=True, share_outputs=True)[0]


def _width(width: int) -> int:
    """Return the width to which lines are padded."""
    enough = max(width, min(width + WIDTH_STEP, SHORT_WIDTH))
    return enough + -enough % WIDTH_STEP


def _side(pixels: Pixels, detection_side: int) -> int:
    """Return the longer side for detection, such that the shorter one stays readable."""
    short, long = sorted(pixels.shape)
    return min(LONGEST_SIDE, max(detection_side, NARROWEST * long // max(short, 1)))


def _box(corners: np.ndarray[Any, Any]) -> tuple[int, int, int, int]:
    left, top = corners.min(axis=0)
    right, bottom = corners.max(axis=0)
    return int(left), int(top), int(right), int(bottom)


def _slope(corners: np.ndarray[Any, Any]) -> float:
    """Return how far the text sinks per pixel to the right; corners run clockwise from the upper left one."""
    right, down = (corners[1] + corners[2] - corners[0] - corners[3]) / 2
    return float(down / right) if right > abs(down) else 0.0
