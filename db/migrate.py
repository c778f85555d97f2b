"""The schema: an engine comes in, every pending change and the grants are made in one transaction, revisions go out."""

from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, func, select, text

import db.exports
import db.recognition  # noqa: F401 (their tables join the metadata)
from db import evidence, receipts
from db.base import metadata
from db.counts import begin_counting

VERSION_SCHEMA: Final = evidence.BUDGET
"""Where Alembic keeps its revision: the durable schema."""

_HERE: Final = Path(__file__).parent
_ROLES: Final = _HERE / "roles.sql"

_LOCK: Final = 7_236_831_004_117_001
"""Key of the advisory lock of migrations; any constant, the same in every process."""


def upgrade(engine: Engine) -> tuple[str | None, str]:
    """Bring the schema and the grants to the newest revision; return the revision before and after.

    Everything commits together or not at all; a second caller waits for the first and then finds nothing to do.
    """
    with engine.begin() as connection:
        connection.execute(text("SET LOCAL statement_timeout = 0"))
        connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))
        connection.execute(text(f"CREATE SCHEMA IF NOT EXISTS {VERSION_SCHEMA}"))
        before = current(connection)
        command.upgrade(_config(connection), "head")
        grant(connection)
        return before, head()


def current(connection: Connection) -> str | None:
    """Return the revision that the database has, or None."""
    options = {"version_table_schema": VERSION_SCHEMA}
    return MigrationContext.configure(connection, opts=options).get_current_revision()


def head() -> str:
    """Return the newest revision that this program brings."""
    newest = ScriptDirectory.from_config(_config()).get_current_head()
    assert newest is not None
    return newest


def recreate_ingest(connection: Connection) -> None:
    """Drop every table of schema `ingest` and make it anew, empty, with its grants."""
    connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))
    connection.execute(text(f"DROP SCHEMA IF EXISTS {receipts.INGEST} CASCADE"))
    connection.execute(text(f"CREATE SCHEMA {receipts.INGEST}"))
    tables = [table for table in metadata.sorted_tables if table.schema == receipts.INGEST]
    metadata.create_all(connection, tables=tables, checkfirst=False)
    begin_counting(connection)
    grant(connection)


def grant(connection: Connection) -> None:
    """Make the database roles if they are missing and give each exactly what it needs."""
    connection.exec_driver_sql(_ROLES.read_text("utf-8"), execution_options={"no_parameters": True})


def _config(connection: Connection | None = None) -> Config:
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(_HERE / "migrations").replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    return config
