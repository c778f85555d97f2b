"""Rows on their way out and back in: every durable table as JSON texts, one per row, exact to the last digit."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, NamedTuple

from sqlalchemy import Column, Computed, Connection, Select, Table, Text, exc, literal_column, select, text

from db import evidence, exports, recognition
from db.base import metadata
from ledger_tasks.errors import FailedForGoodError
from ledger_tasks.storage.rows import insert_json

PAGE: Final = 1000
"""Rows that are in memory at once."""

_DURABLE: Final = {evidence.BUDGET, recognition.RECOGNITION, exports.expense_exports.schema}
_PASSING: Final = {recognition.inbox_state, recognition.tick_state, recognition.trouble}
"""What the running processes say about themselves: not true any more after a restart."""

_TABLES: Final = {
    table.fullname: table for table in metadata.sorted_tables if table.schema in _DURABLE and table not in _PASSING
}
"""In the order of their foreign keys; schema `ingest` is derived."""


@dataclass(frozen=True)
class Form:
    """The columns that a table takes, and those of them that must be told."""

    columns: tuple[str, ...]
    required: frozenset[str]


class CachedSource(NamedTuple):
    """A path of a receipt and the content of the cache that the newest run made for its hash."""

    source_sha256: str
    source_reference: str
    cache_sha256: str


def forms() -> dict[str, Form]:
    """Return the durable tables of this program by name, in the order in which they can be filled."""
    return {name: _form(table) for name, table in _TABLES.items()}


def read_table(connection: Connection, name: str) -> Iterator[Sequence[str]]:
    """Yield the rows of a table in pages, each row as one line of JSON, by primary key."""
    table = _TABLES[name]
    rows = select(*_told(table)).order_by(*table.primary_key).subquery("told")
    lines: Select[str] = select(literal_column("to_json(told)::text", Text)).select_from(rows)
    streamed = lines.execution_options(stream_results=True, max_row_buffer=PAGE)
    yield from connection.execute(streamed).scalars().partitions(PAGE)


def without_timeout(connection: Connection) -> None:
    """Let the statements of this transaction take as long as they need: a backup reads everything."""
    connection.execute(text("SET LOCAL statement_timeout = 0"))


def filled(connection: Connection) -> list[str]:
    """Return the durable tables that hold rows."""
    return [
        name for name, table in _TABLES.items() if connection.execute(select(1).select_from(table).limit(1)).first()
    ]


@contextmanager
def obeying_rules() -> Iterator[None]:
    """Turn a rule of a table that a row breaks into FailedForGoodError, which quotes no row."""
    try:
        yield
    except (exc.IntegrityError, exc.DataError) as error:
        rule = getattr(getattr(error.orig, "diag", None), "constraint_name", None) or "the type of a column"
        raise FailedForGoodError(
            f"a row of the backup breaks {rule}", remedy="Import the backup with the version that made it."
        ) from error


def insert_lines(connection: Connection, name: str, columns: Sequence[str], lines: Sequence[str]) -> None:
    """Insert rows of these columns; the others take their defaults."""
    insert_json(connection, _TABLES[name], tuple(columns), f"[{','.join(lines)}]")


def settle(connection: Connection) -> None:
    """Check the rules that were put off, and let numbers go on after the greatest that came in."""
    connection.execute(text("SET CONSTRAINTS ALL IMMEDIATE"))
    for name, table in _TABLES.items():
        for column in table.columns:
            if column.identity is not None:
                connection.execute(text(_GO_ON.format(table=name, column=column.name)))


def named_by_rows(connection: Connection) -> Iterator[str]:
    """Yield the hash of each artifact that a row names, once."""
    streamed = text(_NAMED).execution_options(stream_results=True, max_row_buffer=PAGE)
    yield from connection.execute(streamed).scalars()


def cached_sources(connection: Connection) -> list[CachedSource]:
    """Return which cache lay at which path, by path."""
    return [CachedSource(*row) for row in connection.execute(text(_CACHED))]


_GO_ON: Final = """
SELECT setval(pg_get_serial_sequence('{table}', '{column}'), greatest(max({column}), 1), max({column}) IS NOT NULL)
FROM {table}
"""

_NAMED: Final = "SELECT DISTINCT sha256 FROM budget.receipt_ocr_artifacts ORDER BY 1"

_CACHED: Final = """
SELECT path.source_sha256, path.source_reference, newest.cache_sha256
FROM ingest.receipt_paths AS path
JOIN (
    SELECT DISTINCT ON (source_sha256) source_sha256, cache_sha256
    FROM budget.receipt_ocr_runs ORDER BY source_sha256, generation DESC
) AS newest USING (source_sha256)
ORDER BY 2
"""


def _form(table: Table) -> Form:
    told = _told(table)
    must = {each.name for each in told if not (each.nullable or each.server_default or each.identity)}
    return Form(tuple(each.name for each in told), frozenset(must))


def _told(table: Table) -> list[Column[object]]:
    return [column for column in table.columns if not isinstance(column.computed, Computed)]
