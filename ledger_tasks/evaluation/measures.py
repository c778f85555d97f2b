"""Judged receipts come in; the rows of EXTRACTION's accuracy table go out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from contracts.receipts.receipt import Receipt
from ledger_tasks.evaluation.scoring import FIELDS, Verdict
from ledger_tasks.extraction.hints import merchant_key

TARGETS: Final = {
    "total": 0.98,
    "date": 0.985,
    "date_and_total": 0.965,
    "company_loose": 0.86,
    "address_loose": 0.82,
    "strict_mean": 0.80,
    "accepted_share": 0.75,
    "accepted_precision": 0.995,
    "cpu_seconds_mean": 0.80,
    "cpu_seconds_p95": 1.5,
    "pages_per_minute": 120.0,
}
"""Row -> what we want on receipts that nobody tuned on; seconds are at most, all others at least."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One receipt of the set. `receipt` is None when it could not be read, `failure` then says why."""

    id: str
    sha256: str
    receipt: Receipt | None
    failure: str
    verdicts: tuple[Verdict, ...]
    cpu_seconds: float
    pages: int

    @property
    def half(self) -> str:
        """Return even or odd, by the last hex digit of the file hash: rules are tuned on the even half only."""
        return half_of(self.sha256)

    @property
    def is_accepted(self) -> bool:
        """Say whether nobody would look at it."""
        return self.receipt is not None and self.receipt.extraction_status == "complete"

    @property
    def is_right(self) -> bool:
        """Say whether date and total are right."""
        return all(verdict.loose for verdict in self.verdicts if verdict.field in {"date", "total"})


def half_of(sha256: str) -> str:
    """Return even or odd."""
    return "odd" if int(sha256[-1], 16) % 2 else "even"


def measure(judged: Sequence[Judged], wall_seconds: float) -> dict[str, Any]:
    """Return one object with the rows by name and every miss."""
    accepted = [each for each in judged if each.is_accepted]
    per_page = sorted(each.cpu_seconds / each.pages for each in judged if each.pages)
    return {
        "receipts": len(judged),
        "failed": sum(each.receipt is None for each in judged),
        "total": _rate(judged, "total"),
        "date": _rate(judged, "date"),
        "date_and_total": _share(sum(each.is_right for each in judged), len(judged)),
        "company_loose": _rate(judged, "company"),
        "address_loose": _rate(judged, "address"),
        "strict_mean": round(sum(_rate(judged, field, strict=True) for field in FIELDS) / len(FIELDS), 4),
        "accepted_share": _share(len(accepted), len(judged)),
        "accepted_precision": _share(sum(each.is_right for each in accepted), len(accepted)),
        "cpu_seconds_mean": round(sum(per_page) / len(per_page), 4) if per_page else 0.0,
        "cpu_seconds_p95": round(per_page[int(0.95 * (len(per_page) - 1))], 4) if per_page else 0.0,
        "pages_per_minute": round(60 * sum(each.pages for each in judged) / wall_seconds, 1) if wall_seconds else 0.0,
        "misses": [miss for each in judged for miss in misses(each)],
    }


def misses(judged: Judged) -> list[dict[str, str]]:
    """Return each field that is not right, with the reason."""
    return [
        {
            "id": judged.id,
            "field": verdict.field,
            "expected": verdict.expected,
            "found": verdict.found,
            "reason": _reason(judged, verdict),
        }
        for verdict in judged.verdicts
        if not verdict.loose
    ]


def _reason(judged: Judged, verdict: Verdict) -> str:
    if judged.receipt is None:
        return judged.failure
    where = "accepted" if judged.is_accepted else "in review: " + ", ".join(judged.receipt.review_reasons)
    if not verdict.found:
        what = "nothing was chosen"
    elif merchant_key(verdict.expected) in merchant_key(judged.receipt.raw_text):
        what = "the text holds it, another was chosen"
    else:
        what = "the text was recognized differently"
    return f"{what} ({where})"


def _rate(judged: Sequence[Judged], field: str, *, strict: bool = False) -> float:
    verdicts = [verdict for each in judged for verdict in each.verdicts if verdict.field == field]
    return _share(sum(verdict.strict if strict else verdict.loose for verdict in verdicts), len(verdicts))


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0
