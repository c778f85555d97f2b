"""Receipts for the pages: a search comes in, one page of rows goes out; and who is next to be reviewed."""

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final, Literal, NamedTuple, get_args

from sqlalchemy import Connection, text

State = Literal["review", "dead", "queued", "waiting", "done"]
STATES: Final[tuple[State, ...]] = get_args(State)

PAGE: Final = 50
"""Receipts on one page of the list: what a person scrolls through."""

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
    """Return one page, what changed last first."""
    conditions, values = _conditions(search)
    values |= {"limit": PAGE, "offset": (search.page - 1) * PAGE, "counted": COUNTED + 1}
    rows = connection.execute(text(_LIST.format(conditions=conditions)), values).all()
    matches = connection.execute(text(_COUNT.format(conditions=conditions)), values).scalar_one()
    return Found([ReceiptRow(*row) for row in rows], matches)


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


def _conditions(search: Search) -> tuple[str, dict[str, Any]]:
    conditions = ["TRUE"]
    values: dict[str, Any] = {}
    if search.state is not None:
        conditions.append(f"state = '{search.state}'")
    for number, word in enumerate(search.words.split()[:8]):
        values[f"word{number}"] = f"%{_literal(word)}%"
        conditions.append(f"haystack ILIKE :word{number}")
    return " AND ".join(conditions), values


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
    concat_ws(' ', receipts.source_reference, receipts.source_sha256, evidence.merchant, evidence.raw_text) AS haystack
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
SELECT source_sha256, source_reference, state, merchant, transaction_date, currency, total, reasons, code, since
FROM ({_STATED}) AS stated WHERE {{conditions}}
ORDER BY since DESC, source_sha256 LIMIT :limit OFFSET :offset
"""  # noqa: S608 (constants of this file; what people type travels as values)

_COUNT: Final = f"""
SELECT count(*) FROM (SELECT FROM ({_STATED}) AS stated WHERE {{conditions}} LIMIT :counted) AS counted
"""  # noqa: S608 (as above)

_WAITING: Final = """
SELECT receipts.first_seen_at, receipts.source_sha256
FROM ingest.receipt_processing_status stands JOIN ingest.receipts USING (source_sha256)
WHERE stands.status = 'review_required'
"""

_QUEUE: Final = f"SELECT source_sha256 FROM ({_WAITING}) AS queue ORDER BY first_seen_at, source_sha256"  # noqa: S608
"""By when they were found: a correction that leaves a question open does not move the receipt to the end."""

_PLACE: Final = f"""
WITH me AS (SELECT first_seen_at, source_sha256 FROM ingest.receipts WHERE source_sha256 = :sha256),
queue AS ({_WAITING})
SELECT
    (SELECT queue.source_sha256 FROM queue, me
     WHERE (queue.first_seen_at, queue.source_sha256) < (me.first_seen_at, me.source_sha256)
     ORDER BY queue.first_seen_at DESC, queue.source_sha256 DESC LIMIT 1),
    (SELECT queue.source_sha256 FROM queue, me
     WHERE queue.source_sha256 <> me.source_sha256
     ORDER BY (queue.first_seen_at, queue.source_sha256) < (me.first_seen_at, me.source_sha256),
              queue.first_seen_at, queue.source_sha256 LIMIT 1),
    (SELECT count(*) FROM queue)
"""  # noqa: S608 (constants of this file)
"""The queue goes round: after the youngest comes the oldest."""

_PREFIX: Final = "SELECT source_sha256 FROM ingest.receipts WHERE source_sha256 LIKE :prefix LIMIT 2"
