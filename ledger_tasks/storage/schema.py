"""The schema itself: bring it up to date, say which revision it has, and build `ingest` anew from `budget`."""

from dataclasses import dataclass

from sqlalchemy import Connection, Engine

from db import migrate
from ledger_tasks.storage.counts import fold
from ledger_tasks.storage.database import server_trouble, transaction
from ledger_tasks.storage.rebuild import fill_ingest


@dataclass(frozen=True)
class Upgraded:
    """The revision before (None: an empty database) and after."""

    before: str | None
    after: str


@dataclass(frozen=True)
class Rebuilt:
    """How many rows each table of `ingest` got."""

    receipts: int
    receipt_paths: int
    receipt_processing_status: int


def upgrade(engine: Engine) -> Upgraded:
    """Make every pending change and the grants, in one transaction; two at once are safe."""
    with server_trouble():
        before, after = migrate.upgrade(engine)
    return Upgraded(before, after)


def revision(connection: Connection) -> tuple[str | None, str]:
    """Return the revision of the database and the one that this program needs."""
    return migrate.current(connection), migrate.head()


def rebuild_ingest(engine: Engine) -> Rebuilt:
    """Drop schema `ingest`, make it anew and fill it from `budget`; leases and the stat index start empty."""
    with transaction(engine) as connection:
        migrate.recreate_ingest(connection)
        rebuilt = Rebuilt(*fill_ingest(connection))
    fold(engine)
    return rebuilt
