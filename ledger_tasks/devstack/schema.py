"""A migrated database on the private server, and the database roles that may log in to it."""

from psycopg import sql
from pydantic import SecretStr

from ledger_tasks.devstack.postgresql import PostgreSQL
from ledger_tasks.storage import schema
from ledger_tasks.storage.database import connect


def prepare_database(server: PostgreSQL, name: str) -> None:
    """Create the database if it is missing, migrate it, and give each database role its password. Safe to repeat."""
    if not server.has_database(name):
        server.run(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    migrate(server.url_of(name))
    alter = sql.SQL("ALTER ROLE {} LOGIN PASSWORD {}")
    server.run(*(alter.format(sql.Identifier(login), sql.Literal(secret)) for login, secret in server.logins.items()))


def migrate(url: str) -> None:
    """Do what `ledger database upgrade` does."""
    engine = connect(SecretStr(url), pool_size=1)
    try:
        schema.upgrade(engine)
    finally:
        engine.dispose()
