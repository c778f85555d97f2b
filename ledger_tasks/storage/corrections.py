"""What people said about receipts: corrections by source, kept apart from every reading so that they survive it."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ARRAY, Connection, Text, any_, bindparam, select

from db.evidence import receipt_corrections
from ledger_tasks.storage.rows import replace


@dataclass(frozen=True)
class Correction:
    """One word of a person: the field (or an item's part, then `item` is the item's content key) and its value."""

    field: str
    value: str | None
    item: str = ""


def corrections(connection: Connection, sources: Sequence[str]) -> dict[str, tuple[Correction, ...]]:
    """Return the corrections by source hash, in a fixed order; a source without one is absent."""
    columns = receipt_corrections.c
    found = connection.execute(
        select(columns.source_sha256, columns.field, columns.value, columns.item)
        .where(columns.source_sha256 == any_(bindparam("sources", type_=ARRAY(Text))))
        .order_by(columns.field, columns.item),
        {"sources": list(sources)},
    )
    by_source: dict[str, list[Correction]] = defaultdict(list)
    for row in found:
        by_source[row.source_sha256].append(Correction(row.field, row.value, row.item))
    return {source: tuple(rows) for source, rows in by_source.items()}


def keep_correction(connection: Connection, source_sha256: str, correction: Correction, at: datetime) -> None:
    """Write down a correction; a later one of the same field and item replaces it."""
    row = {"source_sha256": source_sha256, **vars(correction), "corrected_at": at}
    replace(connection, receipt_corrections, [row])
