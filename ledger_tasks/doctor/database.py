"""PostgreSQL: reachable, at our revision, with a clock like ours, and not behind a pooler that we have not met."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from sqlalchemy import text

from ledger_tasks.doctor.finding import Finding
from ledger_tasks.settings import DatabaseSettings
from ledger_tasks.storage import schema
from ledger_tasks.storage.database import connect, transaction
from ledger_tasks.storage.grants import WrongRight, wrong_rights

SKEW_SECONDS: Final = 5.0
"""Leases and deadlines are the database's own time; a worker's clock only dates its logs and events."""


def examine_database(settings: DatabaseSettings, now: datetime) -> Iterator[Finding]:
    """Yield what is found; raises Infrastructure when nothing answers."""
    engine = connect(settings.database_url, pool_size=1)
    try:
        with transaction(engine) as connection:
            found, needed = schema.revision(connection)
            version = connection.execute(text("SHOW server_version")).scalar_one()
            wrong = wrong_rights(connection)
            skew = abs((connection.execute(text("SELECT now()")).scalar_one() - now).total_seconds())
            first = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
        with transaction(engine) as connection:
            second = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
    finally:
        engine.dispose()
    yield Finding("database version", "ok" if int(version.split(".")[0]) >= 15 else "wrong", version, "")
    yield revision_finding(found, needed)
    yield roles_finding(wrong)
    yield clock_finding(skew)
    pooled = (
        "a transaction pooler stands between; our locks are of transactions and work" if first != second else "direct"
    )
    yield Finding("pooler", "ok", pooled)


def revision_finding(found: str | None, needed: str) -> Finding:
    """Compare the schema's revision with the program's."""
    if found == needed:
        return Finding("schema revision", "ok", needed)
    return Finding("schema revision", "wrong", f"found {found}, needed {needed}", "Run `ledger database upgrade`.")


def roles_finding(wrong: Sequence[WrongRight]) -> Finding:
    """Say which role lacks a right that it needs, or has one that is not its own."""
    if not wrong:
        return Finding("database roles", "ok", "publisher, collector and core, each with its own rights")
    absent = sorted({f"there is no role {each.role}" for each in wrong if each.absent})
    lacks = [f"{each.role} may not {each.privilege} {each.table}" for each in wrong if each.needed and not each.absent]
    extra = [f"{each.role} may {each.privilege} {each.table}" for each in wrong if not each.needed and not each.absent]
    remedy = "Run `ledger database upgrade`, which sets the rights anew."
    return Finding("database roles", "wrong", "; ".join([*absent, *lacks, *extra]), remedy)


def clock_finding(skew: float) -> Finding:
    """Judge the difference between this clock and the database's, in seconds."""
    if skew <= SKEW_SECONDS:
        return Finding("clock", "ok", f"{skew:.1f} s from the database's")
    return Finding("clock", "warning", f"{skew:.0f} s from the database's", "Synchronize the clocks (NTP).")
