"""P3: CPU seconds and right answers of our reader over the same receipts as a plain pytesseract call.

Receipts are those of LEDGER_BENCH_RECEIPTS (a folder with img/ and key/), else worn English slips made here.
"""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytesseract
from PIL import Image

from contracts.receipts.receipt import Receipt
from ledger_tasks.evaluation.scoring import judge
from ledger_tasks.extraction.hints import Hints
from ledger_tasks.extraction.lines import Line
from ledger_tasks.extraction.receipt import extract
from ledger_tasks.ocr import engines, passes
from ledger_tasks.ocr.attempt import Variant, look
from ledger_tasks.ocr.documents import open_document
from ledger_tasks.ocr.protocol import Request
from tests.bench.harness import Row, alternate, spans

RECEIPTS: Final = 16
ROUNDS: Final = 2
TODAY: Final = date(2026, 11, 30)
PART_OF_CPU: Final = 1 / 3
MORE_RIGHT: Final = 0.20


def run() -> list[Row]:
    with TemporaryDirectory() as name:
        paths = _receipts(Path(name))
        for way in (primary, everything, plain):
            way(paths[0])
        ours, whole, reference = alternate(
            ROUNDS, *(lambda way=way: cpu_seconds(way, paths) for way in (primary, everything, plain))
        )
        right, plainly_right = (share_right(way, paths) for way in (everything, plain))
    part, more = min(ours) / min(reference), right - plainly_right
    what, theirs = f"CPU of {len(paths)} receipts", spans(reference)
    rights = f"{right:.3f}", f"{plainly_right:.3f}"
    return [
        Row("P3", f"{what}, first pass / pytesseract", spans(ours), theirs, part, "<= 1/3", part <= PART_OF_CPU),
        Row("P3", f"{what}, all passes", spans(whole), theirs, min(whole) / min(reference), "reported", True),
        Row("P3", "date and total both right", *rights, more, ">= +0.20", more >= MORE_RIGHT),
    ]


def primary(path: Path) -> None:
    """Read a page once, as every page is read first."""
    look(open_document(path.read_bytes()).page(1), engines.rapidocr(), Variant.PRIMARY)


def everything(path: Path) -> Receipt:
    """Read a receipt as the worker does, with every pass that its doubts ask for."""
    return passes.read(path.read_bytes(), Request(engine="auto", today=TODAY, hints=Hints())).receipt


def plain(path: Path) -> Receipt:
    """Read a receipt as most programs do: one call with its defaults, and our own rules over its lines."""
    text = pytesseract.image_to_string(Image.open(path).convert("RGB"))
    rows = [row for row in text.splitlines() if row.strip()]
    lines = [Line(row, 1.0, (0, 40 * place, 800, 40 * place + 30)) for place, row in enumerate(rows)]
    return extract(lines, "tesseract", hints=Hints(), today=TODAY)


def cpu_seconds(way: Callable[[Path], object], paths: Sequence[Path]) -> float:
    """Return the CPU that this process and its ended children spent."""
    begun = _spent()
    for path in paths:
        way(path)
    return _spent() - begun


def share_right(way: Callable[[Path], Receipt], paths: Sequence[Path]) -> float:
    return sum(_is_right(way(path), path) for path in paths) / len(paths)


def _is_right(receipt: Receipt, path: Path) -> bool:
    truth = json.loads((path.parents[1] / "key" / f"{path.stem}.json").read_text(encoding="utf-8"))
    return all(verdict.loose for verdict in judge(receipt, truth) if verdict.field in {"date", "total"})


def _spent() -> float:
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def _receipts(folder: Path) -> list[Path]:
    given = os.environ.get("LEDGER_BENCH_RECEIPTS")
    if not given:
        words = ["-m", "tests.support.slips", str(folder), "--count", str(RECEIPTS), "--degraded"]
        subprocess.run([sys.executable, *words], check=True, capture_output=True)
    pictures = sorted((Path(given) if given else folder).glob("img/*"))
    return pictures[:: max(1, len(pictures) // RECEIPTS)][:RECEIPTS]
