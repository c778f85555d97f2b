"""REF, SHA or ID as people type it comes in; the hash of the one receipt that is meant goes out."""

import re
from typing import Annotated, Final

import typer
from sqlalchemy import Connection

from contracts.identity import unsafe_reason
from ledger_tasks.errors import NotFoundError, UsageError
from ledger_tasks.storage.receipt_list import hash_at, hashes_beginning

Receipt = Annotated[str, typer.Argument(metavar="REF|SHA|ID", help="Path below the root, hash, or 8 letters of it.")]

HASH: Final = re.compile(r"[0-9a-f]{8,64}")


def find(connection: Connection, words: str) -> str:
    """Return the hash of the receipt that is meant.

    Raises UsageError for a path that cannot be one or a beginning of two hashes, NotFoundError when nobody knows it.
    """
    reason = unsafe_reason(words)
    if reason:
        raise UsageError(f"this is no path below the root: {reason}", remedy="Write it as `ledger receipts list` does.")
    at_path = hash_at(connection, words)
    if at_path:
        return at_path
    found = hashes_beginning(connection, words) if HASH.fullmatch(words) else []
    if len(found) > 1:
        raise UsageError(f"more than one hash begins with {words}", remedy="Write more of it.")
    if not found:
        raise NotFoundError(
            f"no receipt is known as {words}",
            remedy="A new file is known after the next scan.",
            next_command="ledger receipts publish",
        )
    return found[0]
