"""`ledger eval FOLDER`: pictures and keys in, the accuracy table out, read by the very reader of the worker."""

import hashlib
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Final

import typer
from PIL import Image

from ledger_tasks.cli.output import Json, emit, say, table
from ledger_tasks.errors import ReceiptError, UsageError
from ledger_tasks.evaluation.measures import TARGETS, Judged, half_of, measure
from ledger_tasks.evaluation.report import html
from ledger_tasks.evaluation.scoring import FIELDS, Verdict, judge
from ledger_tasks.ocr.documents import open_document
from ledger_tasks.ocr.reading import Reader

SECONDS_PER_RECEIPT: Final = 300.0


def evaluate(
    folder: Annotated[Path, typer.Argument(help="A folder with img/NAME.jpg and key/NAME.json.")],
    *,
    report: Annotated[Path | None, typer.Option("--html", help="Write a page with every miss to this file.")] = None,
    errata: Annotated[
        Path | None, typer.Option("--errata", help="JSON list of {id, field, why}: wrong keys, left out of one column.")
    ] = None,
    half: Annotated[str, typer.Option("--half", help="all, or the even or odd half by file hash.")] = "all",
    workers: Annotated[int, typer.Option("--workers", min=1, help="Readers side by side.")] = 2,
    as_json: Json = False,
) -> None:
    """Read every receipt of a folder and compare with its key: company, address, date, total.

    Example: `ledger eval receipts/sroie --html report.html`
    """
    pictures = sorted(path for path in (folder / "img").glob("*") if (folder / "key" / f"{path.stem}.json").is_file())
    if not pictures:
        raise UsageError(f"{folder} holds no img/NAME.jpg with its key/NAME.json")
    listed = json.loads(errata.read_text(encoding="utf-8")) if errata else []
    wrong = {(each["id"], each["field"]) for each in listed}
    pictures = [path for path in pictures if half in {"all", half_of(_sha256(path))}]
    started = time.monotonic()
    judged = _read_all(pictures, workers)
    wall = time.monotonic() - started
    measures = measure(judged, wall)
    corrected = measure([_without(each, wrong) for each in judged], wall)
    if report:
        by_id = {path.stem: path for path in pictures}
        report.write_text(html(judged, measures, corrected, lambda name: _first_page(by_id[name])), encoding="utf-8")
        say(f"written: {report}")
    if as_json:
        emit(measures)
        return
    even, odd = (measure([each for each in judged if each.half == name], 0) for name in ("even", "odd"))
    table(
        ("row", "measured", "even half", "odd half", "without errata", "target"),
        [(name, measures[name], even[name], odd[name], corrected[name], TARGETS[name]) for name in TARGETS],
        f"{measures['receipts']} receipts, {measures['failed']} failed, {len(wrong)} wrong keys",
    )
    table(
        ("id", "field", "expected", "found", "reason"),
        [tuple(miss.values()) for miss in measures["misses"]],
        "Misses",
    )


def _read_all(pictures: list[Path], workers: int) -> list[Judged]:
    own = threading.local()
    readers: list[Reader] = []

    def read(path: Path) -> Judged:
        if not hasattr(own, "reader"):
            own.reader = Reader()
            readers.append(own.reader)
        return _judged(path, own.reader)

    with ThreadPoolExecutor(workers) as pool:
        try:
            return list(pool.map(read, pictures))
        finally:
            for reader in readers:
                reader.close()


def _judged(path: Path, reader: Reader) -> Judged:
    document = path.read_bytes()
    truth = json.loads((path.parents[1] / "key" / f"{path.stem}.json").read_text(encoding="utf-8"))
    sha256 = _sha256(path)
    try:
        reading = reader.read(document, timeout=SECONDS_PER_RECEIPT)
    except ReceiptError as error:
        named = [name for name in FIELDS if truth.get(name)]
        lost = tuple(Verdict(name, str(truth[name]), "", loose=False, strict=False) for name in named)
        return Judged(path.stem, sha256, None, str(error), lost, 0.0, 0)
    verdicts = tuple(judge(reading.receipt, truth))
    return Judged(path.stem, sha256, reading.receipt, "", verdicts, reading.timings["cpu"], reading.pages)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _without(judged: Judged, wrong: set[tuple[str, str]]) -> Judged:
    kept = tuple(verdict for verdict in judged.verdicts if (judged.id, verdict.field) not in wrong)
    return Judged(judged.id, judged.sha256, judged.receipt, judged.failure, kept, judged.cpu_seconds, judged.pages)


def _first_page(path: Path) -> Image.Image:
    return Image.fromarray(open_document(path.read_bytes()).page(1).pixels)
