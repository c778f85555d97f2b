"""What receipts say: the applied reading of each source, read and replaced under the lock of that source."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ARRAY, Connection, Text, any_, bindparam, select

from contracts.receipts.receipt import SINGLE_FIELDS
from db.evidence import receipt_evidence
from ledger_tasks.storage.rows import replace


@dataclass(frozen=True)
class Evidence:
    """One row of `budget.receipt_evidence`; `values` holds the single fields, corrected, by column name."""

    source_sha256: str
    source_reference: str
    values: Mapping[str, str | None]
    fields: Mapping[str, Any]
    items: Sequence[Mapping[str, Any]]
    tax_lines: Sequence[Mapping[str, Any]]
    payments: Sequence[Mapping[str, Any]]
    raw_text: str
    extraction_status: str
    extraction_confidence: float
    review_reasons: Sequence[str]
    read_status: str
    read_reasons: Sequence[str]
    run_uuid: str
    generation: int
    updated_at: datetime
    page_signature: str | None
    possible_duplicate_of: Sequence[str]


@dataclass(frozen=True)
class Applied:
    """Which run the evidence of a source is from, and whether it needs no person."""

    evidence_id: int
    run_uuid: str
    generation: int
    complete: bool


_APPLIED: Final = select(
    receipt_evidence.c.source_sha256,
    receipt_evidence.c.id,
    receipt_evidence.c.run_uuid,
    receipt_evidence.c.generation,
    receipt_evidence.c.extraction_status,
).where(receipt_evidence.c.source_sha256 == any_(bindparam("sources", type_=ARRAY(Text))))


def applied(connection: Connection, sources: Sequence[str]) -> dict[str, Applied]:
    """Return the applied reading by source hash; a source without one is absent."""
    found = connection.execute(_APPLIED, {"sources": list(sources)})
    return {
        row.source_sha256: Applied(row.id, row.run_uuid, row.generation, row.extraction_status == "complete")
        for row in found
    }


def load_evidence(connection: Connection, source_sha256: str) -> Evidence | None:
    """Return what a receipt says now, None when it was never read. The caller holds the lock of the source."""
    found = connection.execute(
        select(receipt_evidence).where(receipt_evidence.c.source_sha256 == source_sha256)
    ).one_or_none()
    if found is None:
        return None
    columns = found._asdict()
    kept = {name: columns[name] for name in Evidence.__dataclass_fields__ if name != "values"}
    return Evidence(**kept, values={name: columns[name] for name in SINGLE_FIELDS})


def replace_evidence(connection: Connection, rows: Sequence[Evidence]) -> None:
    """Insert or replace the evidence of each source; its row id stays."""
    replace(connection, receipt_evidence, [_columns(row) for row in rows], key=["source_sha256"])


def _columns(row: Evidence) -> dict[str, Any]:
    columns = dict(vars(row))
    columns |= columns.pop("values")
    return columns
