"""What the database roles may do: a connection comes in, rights that one lacks or has too many go out."""

from typing import Final, NamedTuple

from sqlalchemy import ARRAY, Boolean, Connection, Text, bindparam, text

PUBLISHER, COLLECTOR, CORE = "ledger_publisher", "ledger_collector", "ledger_core"

_NEEDED: Final = {
    PUBLISHER: ("INSERT ingest.publications", "INSERT ingest.scans", "SELECT budget.dead_letters"),
    COLLECTOR: ("INSERT budget.receipt_evidence", "INSERT budget.expenses", "INSERT budget.ocr_result_events"),
    CORE: ("INSERT budget.receipt_corrections", "UPDATE recognition.recognition_job", "SELECT ingest.publications"),
}
"""Without these a role does not do its work: one of each kind of `roles.sql`."""

_FOREIGN: Final = {
    PUBLISHER: ("INSERT budget.expenses", "INSERT budget.receipt_evidence", "SELECT recognition.recognition_job"),
    COLLECTOR: ("DELETE budget.receipt_evidence", "SELECT recognition.recognition_job", "DELETE ingest.publications"),
    CORE: ("DELETE budget.receipt_evidence", "INSERT ingest.publications", "INSERT budget.ocr_result_events"),
}
"""These belong to another role or to nobody."""

_WRONG: Final = """
SELECT asked.role, asked.privilege, asked.name, asked.needed, role.oid IS NULL AS absent
FROM unnest(:roles, :privileges, :names, :needed) AS asked (role, privilege, name, needed)
JOIN pg_namespace AS space ON space.nspname = split_part(asked.name, '.', 1)
JOIN pg_class AS relation ON relation.relnamespace = space.oid AND relation.relname = split_part(asked.name, '.', 2)
LEFT JOIN pg_roles AS role ON role.rolname = asked.role
WHERE role.oid IS NULL OR has_table_privilege(role.oid, relation.oid, asked.privilege) <> asked.needed
ORDER BY 1, 4 DESC, 3
"""


class WrongRight(NamedTuple):
    """A right that a role lacks (`needed`) or should not have; `absent`: there is no such role."""

    role: str
    privilege: str
    table: str
    needed: bool
    absent: bool


def wrong_rights(connection: Connection) -> list[WrongRight]:
    """Return what is wrong with the rights of the three roles; anybody may ask."""
    asked = [
        (role, *right.split(" "), needed)
        for needed, rights_of in ((True, _NEEDED), (False, _FOREIGN))
        for role, rights in rights_of.items()
        for right in rights
    ]
    roles, privileges, names, needed_flags = zip(*asked, strict=True)
    types = [bindparam(name, type_=ARRAY(Text)) for name in ("roles", "privileges", "names")]
    statement = text(_WRONG).bindparams(*types, bindparam("needed", type_=ARRAY(Boolean)))
    values = {"roles": roles, "privileges": privileges, "names": names, "needed": needed_flags}
    return [WrongRight(*row) for row in connection.execute(statement, {k: list(v) for k, v in values.items()})]
