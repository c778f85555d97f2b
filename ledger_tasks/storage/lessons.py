"""What people confirmed about receipts, for the publisher to teach the readers."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, text


@dataclass(frozen=True, slots=True)
class Lesson:
    """One receipt that a person confirmed: the merchant as it was read, and each fact that the person stands for."""

    read_merchant: str
    merchant: str | None
    date_raw: str | None
    day: str | None
    currency: str | None


def lessons(connection: Connection, most: int) -> list[Lesson]:
    """Return what people confirmed, the last first; a fact that nobody confirmed is None."""
    return [Lesson(*row) for row in connection.execute(text(_LESSONS), {"most": most})]


_LESSONS: Final = """
WITH said AS (
    SELECT source_sha256, array_agg(field) AS fields, max(corrected_at) AS at
    FROM budget.receipt_corrections
    WHERE item = '' AND field IN ('merchant', 'transaction_date', 'currency', 'accepted')
    GROUP BY source_sha256 ORDER BY at DESC LIMIT :most
)
SELECT coalesce(e.fields #>> '{merchant,read,value}', e.merchant) AS read_merchant,
       CASE WHEN said.fields && '{accepted,merchant}' THEN e.merchant END,
       CASE WHEN said.fields && '{accepted,transaction_date}'
            THEN coalesce(e.fields #>> '{transaction_date,read,raw}', e.fields #>> '{transaction_date,raw}') END,
       CASE WHEN said.fields && '{accepted,transaction_date}' THEN e.transaction_date::text END,
       CASE WHEN said.fields && '{accepted,currency}' THEN e.currency END
FROM said JOIN budget.receipt_evidence e USING (source_sha256)
WHERE coalesce(e.fields #>> '{merchant,read,value}', e.merchant) IS NOT NULL
ORDER BY said.at DESC, source_sha256
"""
