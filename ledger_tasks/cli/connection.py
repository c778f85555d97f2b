"""The database of a command: its settings are read, an engine comes out; a server that is away ends in exit code 7."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine

from ledger_tasks.errors import DependencyDownError, Infrastructure
from ledger_tasks.settings import DatabaseSettings, load
from ledger_tasks.storage.database import connect


@contextmanager
def database() -> Iterator[Engine]:
    """Give an engine of `DATABASE_URL` for one command."""
    engine = connect(load(DatabaseSettings).database_url, pool_size=1)
    try:
        yield engine
    except Infrastructure as trouble:
        raise _away(trouble) from trouble
    finally:
        engine.dispose()


def _away(trouble: Infrastructure) -> DependencyDownError:
    if trouble.code == "DATABASE_UNAVAILABLE":
        what, remedy = "PostgreSQL", "Start the server or correct DATABASE_URL; nothing was changed."
    else:
        what, remedy = "a volume", "Mount the receipt root and the cache that belong together, then run it again."
    return DependencyDownError(f"{what} cannot be used: {trouble.detail}", remedy=remedy, next_command="ledger doctor")
