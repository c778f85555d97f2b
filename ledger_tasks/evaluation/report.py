"""Measures and judged receipts come in; one HTML page that a person can read goes out."""

import base64
import io
from collections.abc import Callable, Sequence
from html import escape
from typing import Any, Final

from PIL import Image

from contracts.receipts.receipt import Box, Receipt
from ledger_tasks.evaluation.measures import TARGETS, Judged, measure, misses

PLOT: Final = 320
"""Side of the reliability plot in pixels."""

BINS: Final = 10
CROP_MARGIN: Final = 40
CROP_WIDTH: Final = 480

_STYLE: Final = """
body{font:16px/1.5 system-ui,sans-serif;max-width:76rem;margin:2rem auto;padding:0 1rem;color:#1b1b1b;background:#fff}
table{border-collapse:collapse;margin:1rem 0}th,td{padding:.3rem .8rem;border-bottom:1px solid #ddd;text-align:left;
vertical-align:top}td.number{text-align:right;font-variant-numeric:tabular-nums}.short{color:#a40000;font-weight:600}
.met{color:#1a6b2c}img{max-width:20rem;border:1px solid #ddd}figure{margin:0}
"""


def html(
    judged: Sequence[Judged],
    measures: dict[str, Any],
    corrected: dict[str, Any],
    picture: Callable[[str], Image.Image],
) -> str:
    """Return the page. `corrected` leaves out wrong keys; `picture` gives the first page of a receipt."""
    halves = [measure([each for each in judged if each.half == half], 0) for half in ("even", "odd")]
    shown = "".join(_miss(each, picture) for each in sorted(judged, key=_gravity) if misses(each))
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Reading receipts</title><style>{_STYLE}</style>'
        f"<h1>How well {measures['receipts']} receipts were read</h1>"
        f"<p>{measures['failed']} could not be read. Rules are tuned on the even half; the odd half judges them.</p>"
        f"{_table(measures, halves[0], halves[1], corrected)}<h2>Confidence against truth</h2>{_plot(judged)}"
        f"<h2>Misses</h2><table><tr><th>Receipt</th><th>Field</th><th>Expected</th><th>Found</th><th>Reason</th>"
        f"<th>Where</th></tr>{shown}</table></html>"
    )


def _table(whole: dict[str, Any], even: dict[str, Any], odd: dict[str, Any], corrected: dict[str, Any]) -> str:
    lines = []
    for name, target in TARGETS.items():
        is_met = whole[name] <= target if name.startswith("cpu") else whole[name] >= target
        lines.append(
            f"<tr><td>{name.replace('_', ' ')}</td>"
            f"<td class='number {'met' if is_met else 'short'}'>{whole[name]:g}</td>"
            f"{_number(even[name])}{_number(odd[name])}{_number(corrected[name])}{_number(target)}</tr>"
        )
    head = "<tr><th>Row</th><th>All</th><th>Even half</th><th>Odd half</th><th>Without errata</th><th>Target</th></tr>"
    return f"<table>{head}{''.join(lines)}</table>"


def _number(value: float) -> str:
    """Return a cell; nothing where nothing was measured, as the time of a half."""
    return f"<td class=number>{f'{value:g}' if value else ''}</td>"


def _gravity(judged: Judged) -> tuple[bool, bool, str]:
    """Order what a person should look at: first what was accepted and is wrong, then what was left to a person."""
    return judged.is_right or not judged.is_accepted, judged.is_right, judged.id


def _plot(judged: Sequence[Judged]) -> str:
    """Draw the share of right receipts over their confidence; on the diagonal, confidence means what it says."""
    bins: list[list[bool]] = [[] for _ in range(BINS)]
    for each in judged:
        if each.receipt:
            bins[min(BINS - 1, int(each.receipt.extraction_confidence * BINS))].append(each.is_right)
    dots = "".join(
        f"<circle cx={PLOT * (index + 0.5) / BINS:.0f} cy={PLOT * (1 - sum(right) / len(right)):.0f} "
        f"r={3 + len(right) ** 0.5:.1f} fill='#3465a4'><title>{sum(right)} of {len(right)} right</title></circle>"
        for index, right in enumerate(bins)
        if right
    )
    counted = "".join(
        f"<tr><td>{index / BINS:g} to {(index + 1) / BINS:g}</td><td class=number>{len(right)}</td>"
        f"<td class=number>{sum(right)}</td></tr>"
        for index, right in enumerate(bins)
        if right
    )
    return (
        f"<figure><svg width={PLOT + 40} height={PLOT + 40} viewBox='-20 -20 {PLOT + 40} {PLOT + 40}' role=img "
        f"aria-label='Share of right receipts over confidence'>"
        f"<rect width={PLOT} height={PLOT} fill=none stroke='#999'/>"
        f"<line x1=0 y1={PLOT} x2={PLOT} y2=0 stroke='#ccc'/>{dots}"
        f"<text x=-14 y={PLOT}>0</text><text x=-14 y=10>1</text><text x={PLOT - 8} y={PLOT + 16}>1</text></svg>"
        f"<figcaption>Right: date and total; "
        f"across: confidence 0 to 1; up: share that is right; size: number of receipts.</figcaption></figure>"
        f"<table><tr><th>Confidence</th><th>Receipts</th><th>Right</th></tr>{counted}</table>"
    )


def _miss(judged: Judged, picture: Callable[[str], Image.Image]) -> str:
    lines = []
    for miss in misses(judged):
        box = _box(judged.receipt, miss["field"]) if judged.receipt else None
        image = f'<img alt="" src="data:image/jpeg;base64,{_crop(picture(judged.id), box)}">' if box else ""
        cells = (miss["id"], miss["field"], miss["expected"], miss["found"] or "nothing", miss["reason"])
        lines.append(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}<td>{image}</td></tr>")
    return "".join(lines)


def _box(receipt: Receipt, field: str) -> Box | None:
    return {
        "company": receipt.merchant.box,
        "address": receipt.address.box,
        "date": receipt.transaction_date.box,
        "total": receipt.total.box,
    }[field]


def _crop(page: Image.Image, box: Box) -> str:
    left, top, right, bottom = box
    area = (left - CROP_MARGIN, top - CROP_MARGIN, right + CROP_MARGIN, bottom + CROP_MARGIN)
    cut = page.crop(area)
    cut.thumbnail((CROP_WIDTH, CROP_WIDTH))
    written = io.BytesIO()
    cut.save(written, "JPEG", quality=70)
    return base64.b64encode(written.getvalue()).decode("ascii")
