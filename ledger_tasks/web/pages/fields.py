"""PURE. What a receipt says comes in; what the page shows of each field goes out: doubt first, and where it stands."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Row

from contracts.receipts.receipt import SINGLE_FIELDS

ASKED: Final = ("merchant", "transaction_date", "currency", "total")
"""Fields without which nothing is booked: always shown."""


class Field(NamedTuple):
    """One field as the page shows it; `doubtful` asks a person to look."""

    name: str
    value: str | None
    raw: str | None
    confidence: float
    source: str | None
    page: int | None
    box: tuple[int, int, int, int] | None
    alternatives: tuple[str, ...]
    status: str
    doubtful: bool
    reasons: tuple[str, ...]
    read: str | None


class Box(NamedTuple):
    """Where a field stands on the picture, in its pixels; `alternative` numbers do not have one."""

    name: str
    doubtful: bool
    x: int
    y: int
    width: int
    height: int


def said(evidence: Row[Any] | None) -> list[Field]:
    """Return the fields that count or that were found, the doubtful ones first."""
    if evidence is None:
        return []
    found = [_field(name, evidence.fields[name], evidence.review_reasons) for name in SINGLE_FIELDS]
    shown = [field for field in found if field.name in ASKED or field.value is not None or field.alternatives]
    return sorted(shown, key=lambda field: not field.doubtful)


def unasked(shown: Sequence[Field]) -> list[str]:
    """Return the names of the fields that the page does not show, because the receipt does not say them."""
    names = {field.name for field in shown}
    return [name for name in SINGLE_FIELDS if name not in names]


def boxes(shown: Sequence[Field], page: int) -> list[Box]:
    """Return the boxes on one page."""
    found = [field for field in shown if field.box is not None and field.page in {page, None}]
    return [_box(field) for field in found]


def checks(evidence: Row[Any] | None, shown: Sequence[Field]) -> list[str]:
    """Return the open reasons that belong to no single field."""
    named = {reason for field in shown for reason in field.reasons}
    return [reason for reason in evidence.review_reasons if reason not in named] if evidence else []


def _field(name: str, value: dict[str, Any], reasons: Sequence[str]) -> Field:
    mine = tuple(reason for reason in reasons if reason.startswith(f"{_topic(name)}_"))
    doubtful = value["status"] == "ambiguous" or bool(mine)
    return Field(
        name=name,
        value=value["value"],
        raw=value["raw"],
        confidence=value["confidence"],
        source=value["source"],
        page=value["page"],
        box=tuple(value["box"]) if value["box"] else None,
        alternatives=tuple(each for each in value["alternatives"] if each != value["value"]),
        status=value["status"],
        doubtful=doubtful and value["status"] != "corrected",
        reasons=mine,
        read=value["read"]["value"] if "read" in value else None,
    )


def _topic(name: str) -> str:
    """Return how a reason about this field begins: TOTAL of TOTAL_AMBIGUOUS."""
    return name.removeprefix("transaction_").upper()


def _box(field: Field) -> Box:
    assert field.box is not None
    left, top, right, bottom = field.box
    return Box(field.name, field.doubtful, left, top, max(right - left, 1), max(bottom - top, 1))
