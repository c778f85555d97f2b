"""The choice of an engine comes in; engines, loaded when first asked for and kept, go out."""

from functools import cache
from importlib.util import find_spec

from ledger_tasks.ocr.engine import Engine
from ledger_tasks.ocr.protocol import EngineChoice


def primary(choice: EngineChoice) -> Engine:
    """Return the engine that reads every page first; `auto` falls back to Tesseract where OpenVINO is missing."""
    if choice == "tesseract" or (choice == "auto" and not _has_openvino()):
        return tesseract()
    return rapidocr()


@cache
def rapidocr() -> Engine:
    """Return RapidOCR, loaded."""
    from ledger_tasks.ocr.engine_rapidocr import RapidOcr  # noqa: PLC0415 (a second of loading, only if needed)

    return RapidOcr()


@cache
def tesseract() -> Engine:
    """Return Tesseract, looked up."""
    from ledger_tasks.ocr.engine_tesseract import Tesseract  # noqa: PLC0415 (only if needed)

    return Tesseract()


def _has_openvino() -> bool:
    return find_spec("openvino") is not None and find_spec("rapidocr") is not None
