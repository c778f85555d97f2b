"""What Alembic runs: the connection that `db.migrate` opened comes in, the pending changes are made on it."""

from alembic import context

from db.base import metadata
from db.migrate import VERSION_SCHEMA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table_schema=VERSION_SCHEMA,
    include_schemas=True,
)
with context.begin_transaction():
    context.run_migrations()
