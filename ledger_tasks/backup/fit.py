"""The state that a database must be in before a backup leaves it or comes into it."""

from sqlalchemy import Connection

from ledger_tasks.errors import ConfigurationError, ConflictError
from ledger_tasks.storage.backup import filled
from ledger_tasks.storage.schema import revision


def need_current(connection: Connection) -> str:
    """Return the revision, which is the newest one. Raises ConfigurationError."""
    found, newest = revision(connection)
    if found != newest:
        raise ConfigurationError(
            f"the database is at revision {found or 'none'}, this program needs {newest}",
            remedy="Bring it up to date first; nothing was changed.",
            next_command="ledger database upgrade",
        )
    return newest


def need_empty(connection: Connection) -> None:
    """Raise ConflictError when a durable table holds rows: a backup is never mixed with other rows."""
    tables = filled(connection)
    if tables:
        raise ConflictError(
            f"the database is not empty: {', '.join(tables)}",
            remedy="Create a new database, run `ledger database upgrade` on it, and import there; nothing was changed.",
        )
