"""Reaching PostgreSQL: a URL in, transactions out; its being away is Infrastructure, everything else rises as it is."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from pydantic import SecretStr
from sqlalchemy import Connection, Engine, exc, text

from db.engine import lock_sources as _lock_sources
from db.engine import open_engine
from ledger_tasks.errors import ConfigurationError, Infrastructure

_AWAY: Final = {
    "08": "the connection failed",
    "40": "another transaction was in the way",
    "53": "the server is short of connections, memory or disk",
    "57": "the server is stopping, or the statement took too long",
    "58": "the server met a system error",
    "25006": "the server is read-only",
    "55P03": "a lock was not free in time",
    "28": "the server refused our credentials",
    "3D000": "the database does not exist",
    "3F000": "the schema is missing: run `ledger database upgrade`",
    "42P01": "a table is missing: run `ledger database upgrade`",
    "42703": "a column is missing: run `ledger database upgrade`",
    "42501": "our role lacks a privilege: run `ledger database upgrade`",
}
"""SQLSTATE (or its class) -> what is wrong with the server; none of these says anything about a receipt."""


def connect(url: SecretStr, *, pool_size: int = 5) -> Engine:
    """Make an engine for a `postgresql://` URL; nothing is opened yet. Raises ConfigurationError for another text."""
    try:
        return open_engine(url.get_secret_value(), pool_size=pool_size)
    except exc.ArgumentError:
        raise ConfigurationError(
            "DATABASE_URL is not a URL of the form postgresql://user:password@host:port/database",
            remedy="Correct DATABASE_URL; `ledger dev env` prints a working one for this checkout.",
        ) from None


@contextmanager
def transaction(engine: Engine) -> Iterator[Connection]:
    """Open one transaction, commit it at the end. Raises Infrastructure when the server is away, also at commit."""
    with server_trouble(), engine.begin() as connection:
        yield connection


def at_one_moment(engine: Engine) -> Engine:
    """Return an engine whose transactions see the database as it was at their begin.

    Changing a row that somebody changed since then raises Infrastructure.
    """
    return engine.execution_options(isolation_level="REPEATABLE READ")


def is_reachable(engine: Engine) -> bool:
    """Say whether the server answers."""
    try:
        with transaction(engine) as connection:
            connection.execute(text("SELECT 1"))
    except Infrastructure:
        return False
    return True


def lock_sources(connection: Connection, sources: Iterable[str]) -> None:
    """Take the transaction's lock of each source hash in sorted order."""
    _lock_sources(connection, sources)


@contextmanager
def server_trouble() -> Iterator[None]:
    """Turn trouble of the server into Infrastructure DATABASE_UNAVAILABLE; let a wrong statement or value rise."""
    try:
        yield
    except exc.TimeoutError:
        raise Infrastructure("DATABASE_UNAVAILABLE", "all our connections are busy") from None
    except exc.DBAPIError as error:
        reason = _reason(error)
        if reason is None:
            raise
        raise Infrastructure("DATABASE_UNAVAILABLE", reason) from error


def _reason(error: exc.DBAPIError) -> str | None:
    state: str | None = getattr(error.orig, "sqlstate", None)
    if state is None:
        lost = error.connection_invalidated or isinstance(error, exc.OperationalError)
        return "no connection to the server" if lost else None
    return _AWAY.get(state, _AWAY.get(state[:2]))
