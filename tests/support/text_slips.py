"""Slips as text, laid out with boxes, for tests that need no picture."""

from datetime import date

from ledger_tasks.extraction.hints import Hints
from ledger_tasks.extraction.lines import Line
from ledger_tasks.extraction.receipt import extract

TODAY = date(2026, 11, 30)
WIDTH, HEIGHT, LETTER = 600, 30, 12


def lines(slip, confidence=0.99):
    """Lay out a slip: one row per line, columns separated by two or more spaces, the last one at the right edge."""
    found = []
    for index, row in enumerate(slip.strip("\n").split("\n")):
        parts = [part for part in row.strip().split("  ") if part.strip()]
        top = index * 2 * HEIGHT
        for place, part in enumerate(parts):
            text = part.strip()
            left = WIDTH - LETTER * len(text) if place and place == len(parts) - 1 else place * WIDTH // 3
            found.append(Line(text, confidence, (left, top, left + LETTER * len(text), top + HEIGHT)))
    return found


def read(slip, *, hints=None, confidence=0.99, second=()):
    return extract(lines(slip, confidence), "rapidocr", hints=hints or Hints(), today=TODAY, second=second)
