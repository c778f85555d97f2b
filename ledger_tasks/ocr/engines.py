"""The choice of an engine comes in; engines, loaded when first asked for and kept, go out."""

from functools import cache
from importlib.util import find_spec
from shutil import which

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
def tesseract(*languages: str) -> Engine:
    """Return Tesseract with those of the languages that are installed; without any, all that we know."""
    from ledger_tasks.ocr.engine_tesseract import KNOWN, Tesseract  # noqa: PLC0415 (only if needed)

    return Tesseract(languages or KNOWN)


def cyrillic() -> Engine:
    """Return the engine for Cyrillic, which the primary one lacks."""
    return tesseract("rus", "eng")


def second_opinion() -> Engine:
    """Return the engine that votes on digits."""
    return tesseract("eng")


@cache
def has_tesseract() -> bool:
    """Say whether the program is installed."""
    return which("tesseract") is not None


def _has_openvino() -> bool:
    return find_spec("openvino") is not None and find_spec("rapidocr") is not None
