"""The one metadata that tables and migrations share, with constraint names that migrations can rely on."""

from sqlalchemy import CheckConstraint, MetaData

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def sha256_check(column: str = "source_sha256") -> CheckConstraint:
    """Return the rule that a column holds 64 lowercase hex."""
    return CheckConstraint(f"{column} ~ '^[0-9a-f]{{64}}$'", name=column)
