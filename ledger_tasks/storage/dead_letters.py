"""Rows of dead letters: one each, whoever writes it first, the collector or the one who looks into the dead queue."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from db.evidence import dead_letters
from ledger_tasks.storage.rows import insert_new


@dataclass(frozen=True)
class DeadLetter:
    """A dead letter as a run-failed event tells it; its `id` is the run id of that event (identity.failed_run)."""

    id: str
    family: str
    message_id: str
    source_sha256: str
    source_reference: str
    request_id: str | None
    code: str
    detail: str
    dead_at: datetime


def tell(connection: Connection, letters: Sequence[DeadLetter]) -> None:
    """Write rows of dead letters; a row that exists stays as it is, with its body and its state."""
    insert_new(connection, dead_letters, [vars(letter) for letter in letters])
