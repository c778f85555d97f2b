"""Writing many rows at once: rows by column name go in; those whose key exists are left or replaced, as told.

All rows of a table travel as one JSON parameter: 3 times the rows per second of one statement each, and one plan.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection, Executable, Table, Text, bindparam, cast, func, literal_column, select
from sqlalchemy.dialects.postgresql import JSONB, Insert, insert

Row = Mapping[str, Any]


def insert_new(connection: Connection, rows_of: Mapping[Table, Sequence[Row]]) -> None:
    """Insert rows into tables, all in one statement; a row whose key exists stays as it is."""
    given = {table: rows for table, rows in rows_of.items() if rows}
    if given:
        statement = _insert_new(tuple((table, tuple(rows[0])) for table, rows in given.items()))
        connection.execute(statement, {table.name: one_json(rows) for table, rows in given.items()})


def replace(
    connection: Connection, table: Table, rows: Sequence[Row], *, key: Sequence[str] = (), keep: Sequence[str] = ()
) -> None:
    """Insert rows; one whose `key` (unless told, the primary key) exists gets the new values but those of `keep`."""
    if rows:
        connection.execute(_replace(table, tuple(rows[0]), tuple(key), tuple(keep)), {table.name: one_json(rows)})


def insert_json(connection: Connection, table: Table, columns: tuple[str, ...], rows: str) -> None:
    """Insert rows that come as one JSON array of objects; columns that are not named take their defaults."""
    connection.execute(_insert(table, columns), {table.name: rows})


def one_text(values: Iterable[str]) -> str:
    """Return many short values, none of which holds a newline, as one parameter: `string_to_array(:it, chr(10))`.

    The driver would write an array value by value, and plan a list of parameters anew for each length.
    """
    return "\n".join(values)


@cache
def _insert_new(columns_of: tuple[tuple[Table, tuple[str, ...]], ...]) -> Executable:
    first, *others = [_insert(table, columns).on_conflict_do_nothing() for table, columns in columns_of]
    return first.add_cte(*(each.cte() for each in others))


@cache
def _replace(table: Table, columns: tuple[str, ...], key: tuple[str, ...], keep: tuple[str, ...]) -> Insert:
    key = key or tuple(column.name for column in table.primary_key)
    statement = _insert(table, columns)
    new = {name: statement.excluded[name] for name in columns if name not in {*key, *keep}}
    return statement.on_conflict_do_update(index_elements=key, set_=new)


def _insert(table: Table, columns: tuple[str, ...]) -> Insert:
    rows = cast(bindparam(table.name, type_=Text), JSONB)
    given = func.jsonb_populate_recordset(literal_column(f"NULL::{table.fullname}"), rows).table_valued(*columns)
    return insert(table).from_select(list(columns), select(*(given.c[name] for name in columns)))


def one_json(rows: Sequence[Row]) -> str:
    """Return rows as one parameter: `jsonb_to_recordset(CAST(:it AS jsonb))`."""
    return json.dumps([dict(row) for row in rows], default=str)
