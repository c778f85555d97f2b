"""Everything the database says about one receipt, for `ledger receipts explain`."""

from typing import Final

from sqlalchemy import Connection, text

from ledger_tasks.explain import Letter, Stand


def stand(connection: Connection, source_sha256: str) -> Stand:
    """Return where a known receipt stands."""
    return Stand(*connection.execute(text(_STAND), {"source": source_sha256}).one())


def open_letters(connection: Connection, source_sha256: str) -> list[Letter]:
    """Return the unsettled dead letters of a receipt, oldest first."""
    found = connection.execute(text(_LETTERS), {"source": source_sha256})
    return [Letter(*row) for row in found]


_STAND: Final = """
SELECT stands.status, coalesce(stands.updated_at, r.first_seen_at),
       (SELECT min(coalesce(confirmed_at, planned_at)) FROM ingest.publications p
        WHERE p.source_sha256 = r.source_sha256 AND p.state <> 'ended'),
       stands.last_error_code, stands.last_error, coalesce(e.review_reasons, '{}'), e.id::text,
       (SELECT id::text FROM budget.expenses x WHERE x.source_sha256 = r.source_sha256 LIMIT 1),
       (SELECT substr(value, 6) FROM budget.receipt_corrections c
        WHERE c.source_sha256 = r.source_sha256 AND c.field = 'booking' AND c.item = '' AND c.value LIKE 'copy:%'),
       (SELECT coalesce(array_agg(f.key || ' by ' || (f.value ->> 'source') ORDER BY f.key), '{}')
        FROM jsonb_each(e.fields) f WHERE f.value ->> 'source' LIKE 'rule: %')
FROM ingest.receipts r
LEFT JOIN ingest.receipt_processing_status stands USING (source_sha256)
LEFT JOIN budget.receipt_evidence e USING (source_sha256)
WHERE r.source_sha256 = :source
"""

_LETTERS: Final = """
SELECT id::text, code, detail, dead_at FROM budget.dead_letters
WHERE source_sha256 = :source AND state IN ('open', 'replaying') ORDER BY dead_at
"""
