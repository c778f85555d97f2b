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
        raise DependencyDownError(
            f"PostgreSQL cannot be used: {trouble.detail}",
            remedy="Start the server or correct DATABASE_URL; nothing was changed.",
            next_command="ledger doctor",
        ) from trouble
    finally:
        engine.dispose()
