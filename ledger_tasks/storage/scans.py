"""The numbers of the last scans (schema `ingest`)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, delete, func, insert, select

from db.receipts import scans

KEPT: Final = 1000
"""Scans that are kept: ten days of one scan every 15 minutes."""


@dataclass(frozen=True)
class LastScan:
    """How long ago the last scan ended, in seconds by the database's clock, and its numbers."""

    seconds: float
    summary: Mapping[str, int]


def record_scan(connection: Connection, summary: Mapping[str, int]) -> None:
    """Write the numbers of a scan that ended just now, and forget the oldest."""
    connection.execute(insert(scans).values(summary=dict(summary)))
    oldest = select(scans.c.at).order_by(scans.c.at.desc()).offset(KEPT).limit(1).scalar_subquery()
    connection.execute(delete(scans).where(scans.c.at <= oldest))


def last_scan(connection: Connection) -> LastScan | None:
    """Return the last scan, None before the first."""
    age = func.extract("epoch", func.now() - scans.c.at)
    found = connection.execute(select(age.label("age"), scans.c.summary).order_by(scans.c.at.desc()).limit(1)).first()
    return LastScan(float(found.age), found.summary) if found else None
