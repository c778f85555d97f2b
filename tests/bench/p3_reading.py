"""P3: CPU seconds and right answers of our reader over the same receipts as a plain pytesseract call and OCRmyPDF.

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
        for way in _WAYS:
            way(paths[0])
        ours, whole, reference, archive = alternate(ROUNDS, *(lambda way=way: cpu_seconds(way, paths) for way in _WAYS))
        right, plainly_right, archived_right = (share_right(way, paths) for way in (everything, plain, archived))
    what = f"CPU of {len(paths)} receipts"
    return [
        _cpu_row(f"{what}, first pass / pytesseract", ours, reference, PART_OF_CPU),
        _cpu_row(f"{what}, all passes / pytesseract", whole, reference),
        _cpu_row(f"{what}, all passes / OCRmyPDF", whole, archive),
        _right_row("date and total both right, ours - pytesseract", right, plainly_right),
        _right_row("date and total both right, ours - OCRmyPDF", right, archived_right),
    ]


def _cpu_row(what: str, ours: Sequence[float], reference: Sequence[float], at_most: float | None = None) -> Row:
    part = min(ours) / min(reference)
    wanted = "reported" if at_most is None else f"<= {at_most:.2f}"
    return Row("P3", what, spans(ours), spans(reference), part, wanted, at_most is None or part <= at_most)


def _right_row(what: str, ours: float, reference: float) -> Row:
    more = ours - reference
    return Row("P3", what, f"{ours:.3f}", f"{reference:.3f}", more, f">= +{MORE_RIGHT:.2f}", more >= MORE_RIGHT)


def primary(path: Path) -> None:
    """Read a page once, as every page is read first."""
    look(open_document(path.read_bytes()).page(1), engines.rapidocr(), Variant.PRIMARY)


def everything(path: Path) -> Receipt:
    """Read a receipt as the worker does, with every pass that its doubts ask for."""
    return passes.read(path.read_bytes(), Request(engine="auto", today=TODAY, hints=Hints())).receipt


def plain(path: Path) -> Receipt:
    """Read a receipt as most programs do: one call with its defaults, and our own rules over its lines."""
    return _extracted(pytesseract.image_to_string(Image.open(path).convert("RGB")))


def archived(path: Path) -> Receipt:
    """Read a receipt as document archives do, and apply our own rules to the text; no PDF/A, which costs more."""
    with TemporaryDirectory() as folder:
        text = Path(folder) / "text"
        words = ["--quiet", "--image-dpi", "300", "--output-type", "pdf", "--sidecar", str(text)]
        subprocess.run(["ocrmypdf", *words, str(path), str(Path(folder) / "out.pdf")], check=True)
        return _extracted(text.read_text(encoding="utf-8"))


_WAYS: Final = (primary, everything, plain, archived)


def _extracted(text: str) -> Receipt:
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
