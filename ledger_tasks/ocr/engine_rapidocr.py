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

OPENVINO: Final = {
    "INFERENCE_NUM_THREADS": 1,
    "NUM_STREAMS": 1,
    # Pinned, every one-thread process of a machine computes on the same core.
    "ENABLE_CPU_PINNING": False,
    # Each new shape would stay in this cache: gigabytes after some hundred pages.
    "CPU_RUNTIME_CACHE_CAPACITY": 0,
}


class _Properties:
    """Stands for RapidOCR's own class, which has no way to say two of these."""

    def __init__(self, _configuration: object) -> None:
        pass

    def get_config(self) -> dict[str, Any]:
        return OPENVINO


class RapidOcr:
    """Models of the wheel, no download; one thread."""

    name: str = "rapidocr"
    psm: int | None = None

    def __init__(self, detection_side: int = DETECTION_SIDE) -> None:
        logging.getLogger("RapidOCR").setLevel(logging.ERROR)
        cv2.setNumThreads(1)
        vars(openvino_session)["CPUConfig"] = _Properties
        self.version = version("rapidocr")
        self._engine = rapidocr.RapidOCR(
            params={
                "Global.use_cls": False,
                "Global.text_score": 0.0,
                "Global.log_level": "error",
                "Global.max_side_len": 1_000_000,
                "Det.engine_type": EngineType.OPENVINO,
                "Det.limit_type": "max",
                "Det.limit_side_len": detection_side,
                "Rec.engine_type": EngineType.OPENVINO,
            }
        )

    def read(self, pixels: Pixels, page: int) -> list[Line]:
        """Return the lines of a page, top to bottom."""
        found: Any = self._engine(np.stack([pixels] * 3, axis=-1))
        if found.boxes is None:
            return []
        return [
            Line(text, float(score), _box(corners), page)
            for corners, text, score in zip(found.boxes, found.txts, found.scores, strict=True)
        ]


def _box(corners: np.ndarray[Any, Any]) -> tuple[int, int, int, int]:
    left, top = corners.min(axis=0)
    right, bottom = corners.max(axis=0)
    return int(left), int(top), int(right), int(bottom)
