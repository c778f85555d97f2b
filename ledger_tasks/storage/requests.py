"""Refresh requests: their outcome by source and request id; one that succeeded is never overwritten by a failure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, select, tuple_

from db.history import receipt_cache_requests, receipt_reprocess_requests
from ledger_tasks.storage.rows import replace

TABLES: Final = {"reprocess": receipt_reprocess_requests, "cache_only": receipt_cache_requests}
"""Persistence mode -> the table of its requests."""


@dataclass(frozen=True)
class Request:
    """Where one request of one source stands."""

    source_sha256: str
    request_id: str
    mode: str
    attempts: int
    outcome: str
    completed_at: datetime
    last_error: str | None = None


def outcomes(connection: Connection, wanted: Collection[tuple[str, str, str]]) -> dict[tuple[str, str, str], str]:
    """Return the outcome by (mode, source hash, request id); a request without a row is absent."""
    found: dict[tuple[str, str, str], str] = {}
    for mode, table in TABLES.items():
        pairs = [(source, request) for each, source, request in wanted if each == mode]
        if pairs:
            columns = table.c.source_sha256, table.c.request_id, table.c.outcome
            rows = connection.execute(select(*columns).where(tuple_(columns[0], columns[1]).in_(pairs)))
            found |= {(mode, row.source_sha256, row.request_id): row.outcome for row in rows}
    return found


def complete(connection: Connection, requests: Sequence[Request]) -> None:
    """Write the outcome of each request; the row comes with the first one."""
    for mode, table in TABLES.items():
        rows = [_columns(request) for request in requests if request.mode == mode]
        replace(connection, table, rows, keep=["created_at"])


def _columns(request: Request) -> dict[str, Any]:
    columns = dict(vars(request))
    del columns["mode"]
    return columns | {"created_at": request.completed_at}
