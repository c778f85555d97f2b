"""Migrations make exactly the tables that the program uses, once, also when two run at the same moment."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from pydantic import SecretStr
from sqlalchemy import text

from contracts.receipts.receipt import SINGLE_FIELDS
from db.base import metadata
from db.evidence import receipt_evidence
from ledger_tasks.devstack.stack import Stack
from ledger_tasks.storage import schema
from ledger_tasks.storage.database import connect
from tests.support.servers import Database, fresh, start

CONSTRAINTS = """
SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
WHERE connamespace::regnamespace::text = 'ingest' ORDER BY 1, 2
"""
TRIGGERS = """
SELECT pg_get_triggerdef(oid) FROM pg_trigger
WHERE tgrelid::regclass::text LIKE ANY ('{ingest.%,budget.%}') AND NOT tgisinternal ORDER BY 1
"""
INDEXES = "SELECT indexdef FROM pg_indexes WHERE schemaname = 'ingest' ORDER BY 1"


@pytest.fixture
def empty(stack: Stack):
    start(stack, "postgresql")
    made = Database(stack.postgresql, fresh("empty"))
    stack.postgresql.run(f"CREATE DATABASE {made.name}")
    yield connect(SecretStr(made.url))
    made.drop()


def test_two_upgrades_at_once_end_in_one_schema(empty):
    with ThreadPoolExecutor(3) as threads:
        found = list(threads.map(lambda _: schema.upgrade(empty), range(3)))
    assert {each.after for each in found} == {schema.upgrade(empty).before}
    assert sum(each.before is None for each in found) == 1


def test_the_migrations_make_what_the_tables_say(database):
    engine = connect(SecretStr(database.url))
    options = {"include_schemas": True, "version_table_schema": "budget", "compare_server_default": True}
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, metadata) == []
        before = [list(connection.execute(text(query))) for query in (CONSTRAINTS, INDEXES, TRIGGERS)]
    schema.rebuild_ingest(engine)
    with engine.connect() as connection:
        assert [list(connection.execute(text(query))) for query in (CONSTRAINTS, INDEXES, TRIGGERS)] == before
    engine.dispose()


def test_every_single_field_is_a_column_of_the_evidence():
    assert set(SINGLE_FIELDS) <= set(receipt_evidence.c.keys())
