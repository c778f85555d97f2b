"""What people said about receipts: corrections by source, kept apart from every reading so that they survive it."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import ARRAY, Connection, Text, any_, bindparam, exists, select

from db.evidence import receipt_corrections
from ledger_tasks.storage.rows import replace

BOOKING: Final = "booking"
"""Correction by which a person chose a booking: the id of an unowned expense, `new`, or none: `copy:SHA`."""

COPY: Final = "copy:"
"""How the choice begins that a receipt is a copy: the hash of the receipt that is booked follows."""


@dataclass(frozen=True)
class Correction:
    """One word of a person: the field (or an item's part, then `item` is the item's content key) and its value."""

    field: str
    value: str | None
    item: str = ""


_CORRECTIONS: Final = (
    select(
        receipt_corrections.c.source_sha256,
        receipt_corrections.c.field,
        receipt_corrections.c.value,
        receipt_corrections.c.item,
    )
    .where(receipt_corrections.c.source_sha256 == any_(bindparam("sources", type_=ARRAY(Text))))
    .order_by(receipt_corrections.c.field, receipt_corrections.c.item)
)


def corrections(connection: Connection, sources: Sequence[str]) -> dict[str, tuple[Correction, ...]]:
    """Return the corrections by source hash, in a fixed order; a source without one is absent."""
    found = connection.execute(_CORRECTIONS, {"sources": list(sources)})
    by_source: dict[str, list[Correction]] = defaultdict(list)
    for row in found:
        by_source[row.source_sha256].append(Correction(row.field, row.value, row.item))
    return {source: tuple(rows) for source, rows in by_source.items()}


def has_copies(connection: Connection, source_sha256: str) -> bool:
    """Say whether a person set other receipts aside as copies of this one."""
    columns = receipt_corrections.c
    said = exists().where(columns.field == BOOKING, columns.value == f"{COPY}{source_sha256}")
    return bool(connection.execute(select(said)).scalar_one())


def keep_correction(
    connection: Connection, source_sha256: str, correction: Correction, at: datetime, by: str | None
) -> None:
    """Write down a correction and who made it; a later one of the same field and item replaces it."""
    row = {"source_sha256": source_sha256, **vars(correction), "corrected_at": at, "corrected_by": by}
    replace(connection, receipt_corrections, [row])
