"""Writing many rows at once: frozen rows whose fields are the columns go in; conflicts are left or merged, as told."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects.postgresql import Insert, insert

Row = Mapping[str, Any]


def insert_new(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Insert rows; one whose key exists stays as it is."""
    if rows:
        connection.execute(insert(table).on_conflict_do_nothing(), rows)


def merge(table: Table, columns: Sequence[str], keep: Sequence[str] = ()) -> Insert:
    """Return the statement that inserts these columns or, when the key exists, replaces all but `keep`."""
    key = [column.name for column in table.primary_key]
    return _replacing(table, key, [name for name in columns if name not in {*key, *keep}])


def merge_on(table: Table, key: str, columns: Sequence[str]) -> Insert:
    """Return the statement that inserts these columns or, when the unique `key` exists, replaces them."""
    return _replacing(table, [key], [name for name in columns if name != key])


def _replacing(table: Table, key: Sequence[str], replaced: Sequence[str]) -> Insert:
    statement = insert(table)
    return statement.on_conflict_do_update(
        index_elements=list(key), set_={name: statement.excluded[name] for name in replaced}
    )
