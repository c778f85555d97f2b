"""Connections: a URL in, an engine out; one transaction at a time; one lock per receipt source."""

from collections.abc import Iterable
from typing import Final

from sqlalchemy import ARRAY, Connection, Engine, Text, bindparam, create_engine, make_url, text

CONNECT_SECONDS: Final = 5
"""How long a connection attempt may take before the database counts as away."""

STATEMENT_MILLISECONDS: Final = 60_000
"""No statement of ours is longer; a hung server must not hang a worker."""


def open_engine(url: str, *, pool_size: int = 5, statement_milliseconds: int = STATEMENT_MILLISECONDS) -> Engine:
    """Make an engine of psycopg 3 for a `postgresql://` URL; no connection is opened yet.

    Without JIT: to compile one of our statements costs more than to run it, and a stale estimate is enough for that.
    """
    options = f"-c statement_timeout={statement_milliseconds} -c timezone=UTC -c jit=off"
    return create_engine(
        make_url(url).set(drivername="postgresql+psycopg"),
        pool_size=pool_size,
        max_overflow=5,
        pool_pre_ping=True,
        hide_parameters=True,
        connect_args={
            "connect_timeout": CONNECT_SECONDS,
            "options": options,
            "keepalives_idle": 10,
            "keepalives_interval": 5,
            "keepalives_count": 3,
            "tcp_user_timeout": 20_000,
        },
    )


def lock_sources(connection: Connection, sources: Iterable[str], *, timeout_milliseconds: int = 10_000) -> None:
    """Take the transaction's advisory lock of each source hash, in sorted order so that no two wait for each other.

    Raises OperationalError (lock_not_available) after the timeout.
    """
    connection.execute(_LOCK, {"sources": sorted(set(sources)), "timeout": f"{timeout_milliseconds}ms"})


_LOCK: Final = text(
    "SELECT pg_advisory_xact_lock(hashtextextended(source, 0)) "
    "FROM (SELECT set_config('lock_timeout', :timeout, true)) AS patience, unnest(:sources) AS source"
).bindparams(bindparam("sources", type_=ARRAY(Text)), bindparam("timeout", type_=Text))
"""One statement for the timeout and many locks: a lock is asked for once its row is joined, so after the timeout is
set (for this transaction); the rows of an array come, and lock, in its order."""
