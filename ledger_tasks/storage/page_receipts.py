"""Receipts for the pages: a search comes in, one page of rows goes out; and who is next to be reviewed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final, Literal, NamedTuple, get_args

from sqlalchemy import ARRAY, Connection, Text, bindparam, text

from ledger_tasks.storage.counts import STANDING

State = Literal["review", "dead", "queued", "waiting", "done"]
STATES: Final[tuple[State, ...]] = get_args(State)

PAGE: Final = 50
"""Receipts on one page of the list: what a person scrolls through."""

_HASH: Final = re.compile("[0-9a-f]{8,64}")

COUNTED: Final = 10_000
"""Matches that are counted; beyond them the list says `more than`."""


@dataclass(frozen=True)
class Search:
    """What is looked for: words of the path, the merchant, the receipt's text, or the beginning of a hash."""

    words: str = ""
    state: State | None = None
    page: int = 1


class ReceiptRow(NamedTuple):
    """One line of the list."""

    source_sha256: str
    source_reference: str
    state: State
    merchant: str | None
    transaction_date: date | None
    currency: str | None
    total: Decimal | None
    reasons: list[str]
    code: str | None
    since: datetime


class Found(NamedTuple):
    """One page of receipts and how many match in all, counted up to COUNTED + 1."""

    rows: list[ReceiptRow]
    matches: int


class Place(NamedTuple):
    """Where a receipt stands in the review queue: its neighbours, None at the ends, and how many wait in all."""

    previous: str | None
    following: str | None
    waiting: int


def find_receipts(connection: Connection, search: Search) -> Found:
    """Return one page: the newest first, or what changed last when a state or words are asked for."""
    values: dict[str, Any] = {"limit": PAGE, "offset": (search.page - 1) * PAGE, "counted": COUNTED + 1}
    words = search.words.lower().split()
    if not words and search.state in _KEYS:
        keys, counted = _KEYS[search.state]
        statement = text(_PAGE_OF_KEYS.format(keys=keys, counted=counted))
    else:
        conditions = "TRUE" if search.state is None else f"state = '{search.state}'"
        if words:
            conditions += " AND (lower(haystack) LIKE ALL (:words) OR source_sha256 LIKE :hash)"
            values |= {"words": [f"%{_literal(word)}%" for word in words], "hash": _hash_pattern(words)}
        statement = text(_LIST.format(conditions=conditions))
        if words:
            statement = statement.bindparams(bindparam("words", type_=ARRAY(Text)))
    rows = connection.execute(statement, values).all()
    return Found([ReceiptRow(*row[:-1]) for row in rows], rows[0].matches if rows else 0)


def review_place(connection: Connection, sha256: str) -> Place:
    """Return the neighbours of a receipt in the review queue, the longest waiting first."""
    return Place(*connection.execute(text(_PLACE), {"sha256": sha256}).one())


def first_in_review(connection: Connection) -> str | None:
    """Return the receipt that has been waiting for a person longest."""
    found: str | None = connection.execute(text(f"{_QUEUE} LIMIT 1")).scalar()
    return found


def find_by_prefix(connection: Connection, prefix: str) -> str | None:
    """Return the only receipt whose hash begins so."""
    found = connection.execute(text(_PREFIX), {"prefix": f"{prefix}%"}).scalars().all()
    return found[0] if len(found) == 1 else None


def _hash_pattern(words: Sequence[str]) -> str | None:
    """Return what a hash must look like when the only word may be the beginning of one."""
    return f"{words[0]}%" if len(words) == 1 and _HASH.fullmatch(words[0]) else None


def _literal(word: str) -> str:
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


_STATED: Final = """
SELECT
    receipts.source_sha256,
    receipts.source_reference,
    CASE
        WHEN stands.status = 'succeeded' THEN 'done'
        WHEN stands.status = 'review_required' THEN 'review'
        WHEN stands.status = 'failed' OR letter.code IS NOT NULL THEN 'dead'
        WHEN lease.since IS NOT NULL THEN 'queued'
        ELSE 'waiting'
    END AS state,
    evidence.merchant,
    evidence.transaction_date,
    evidence.currency,
    evidence.total,
    coalesce(evidence.review_reasons, '{{}}') AS reasons,
    coalesce(letter.code, stands.last_error_code) AS code,
    coalesce(stands.updated_at, letter.dead_at, lease.since, receipts.first_seen_at) AS since,
    concat_ws(' ', receipts.source_reference, evidence.merchant, evidence.raw_text) AS haystack
FROM ingest.receipts
LEFT JOIN ingest.receipt_processing_status stands USING (source_sha256)
LEFT JOIN budget.receipt_evidence evidence USING (source_sha256)
LEFT JOIN (
    SELECT source_sha256, min(planned_at) AS since FROM ingest.publications WHERE state <> 'ended' GROUP BY 1
) lease USING (source_sha256)
LEFT JOIN (
    SELECT source_sha256, max(code) AS code, max(dead_at) AS dead_at
    FROM budget.dead_letters WHERE state IN ('open', 'replaying') GROUP BY 1
) letter USING (source_sha256)
"""
"""Every receipt with its state, as one word; an evidence row without a status is one that is being rebuilt."""

_LIST: Final = f"""
WITH matching AS MATERIALIZED (
    SELECT source_sha256, source_reference, state, merchant, transaction_date, currency, total, reasons, code, since
    FROM ({_STATED}) AS stated WHERE {{conditions}}
)
SELECT matching.*, (SELECT count(*) FROM (SELECT FROM matching LIMIT :counted) AS counted) AS matches
FROM matching ORDER BY since DESC, source_sha256 LIMIT :limit OFFSET :offset
"""  # noqa: S608 (constants of this file; what people type travels as values)

_IN_STATE: Final = "SELECT source_sha256, updated_at AS at FROM ingest.receipt_processing_status WHERE status = "

_KEYS: Final[dict[State | None, tuple[str, str]]] = {
    None: ("SELECT source_sha256, first_seen_at AS at FROM ingest.receipts", "TRUE"),
    "done": (f"{_IN_STATE} 'succeeded'", "state = 'succeeded'"),
    "review": (f"{_IN_STATE} 'review_required'", "state = 'review_required'"),
}
"""Lists that can be long, and what the sums call them.

An index has their order and the sums their number: a page of them costs the same however many there are.
"""

_PAGE_OF_KEYS: Final = f"""
WITH page AS MATERIALIZED (
    SELECT source_sha256, at FROM ({{keys}}) AS every ORDER BY at DESC, source_sha256 LIMIT :limit OFFSET :offset
),
{STANDING}
SELECT source_sha256, source_reference, state, merchant, transaction_date, currency, total, reasons, code, since,
    least((SELECT sum(receipts) FROM standing WHERE {{counted}})::bigint, :counted) AS matches
FROM page JOIN ({_STATED}) AS stated USING (source_sha256) ORDER BY page.at DESC, source_sha256
"""  # noqa: S608 (constants of this file)

_WAITING: Final = """
SELECT receipts.first_seen_at, receipts.source_sha256
FROM ingest.receipt_processing_status stands JOIN ingest.receipts USING (source_sha256)
WHERE stands.status = 'review_required'
"""

_QUEUE: Final = f"SELECT source_sha256 FROM ({_WAITING}) AS queue ORDER BY first_seen_at, source_sha256"  # noqa: S608
"""By when they were found: a correction that leaves a question open does not move the receipt to the end."""

_PLACE: Final = f"""
WITH me AS (SELECT first_seen_at AS at, source_sha256 AS sha256 FROM ingest.receipts WHERE source_sha256 = :sha256)
SELECT
    (SELECT source_sha256 FROM ({_WAITING}) AS queue
     WHERE (first_seen_at, source_sha256) < ((SELECT at FROM me), :sha256)
     ORDER BY first_seen_at DESC, source_sha256 DESC LIMIT 1),
    coalesce(
        (SELECT source_sha256 FROM ({_WAITING}) AS queue
         WHERE (first_seen_at, source_sha256) > ((SELECT at FROM me), :sha256)
         ORDER BY first_seen_at, source_sha256 LIMIT 1),
        (SELECT source_sha256 FROM ({_WAITING}) AS queue
         WHERE source_sha256 <> :sha256 ORDER BY first_seen_at, source_sha256 LIMIT 1)
    ),
    (SELECT count(*) FROM ingest.receipt_processing_status WHERE status = 'review_required')
"""  # noqa: S608 (constants of this file)
"""The queue goes round: after the youngest comes the oldest."""

_PREFIX: Final = "SELECT source_sha256 FROM ingest.receipts WHERE source_sha256 LIKE :prefix LIMIT 2"
