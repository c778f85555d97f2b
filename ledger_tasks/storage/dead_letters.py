"""Rows of dead letters: one each, whoever writes it first, the collector or the one who looks into the dead queue."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Engine, and_, case, func, null, select, text, true, update
from sqlalchemy.dialects.postgresql import insert

from db.history import dead_letters
from db.receipts import publications, receipt_processing_status
from ledger_tasks.errors import ConflictError
from ledger_tasks.storage.database import server_trouble
from ledger_tasks.storage.rows import insert_new

_LOCK: Final = 7_236_831_004_117_003
"""Key of the advisory lock of everybody who takes letters out of a dead queue, be it only to look."""

UNSETTLED: Final = ("open", "replaying")


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
    insert_new(connection, {dead_letters: [vars(letter) for letter in letters]})


@dataclass(frozen=True)
class SeenLetter:
    """A dead letter as it was found in its queue, columns of `budget.dead_letters`."""

    id: str
    family: str
    message_id: str | None
    source_sha256: str | None
    source_reference: str | None
    request_id: str | None
    code: str
    detail: str
    body: bytes
    headers: Mapping[str, Any]
    dead_at: datetime


@dataclass(frozen=True)
class Selection:
    """Which letters: all conditions that are given hold together; none given is all letters."""

    ids: Sequence[str] = ()
    code: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    source_sha256: str | None = None

    def condition(self) -> ColumnElement[bool]:
        """Return the SQL condition."""
        columns = dead_letters.c
        wanted = [
            columns.id.in_(self.ids) if self.ids else true(),
            columns.code == self.code if self.code else true(),
            columns.dead_at >= self.since if self.since else true(),
            columns.dead_at < self.until if self.until else true(),
            columns.source_sha256 == self.source_sha256 if self.source_sha256 else true(),
        ]
        return and_(*wanted)


@contextmanager
def alone_with_dead_queues(engine: Engine) -> Iterator[None]:
    """Let one process at a time take letters out. Raises ConflictError while another does."""
    with server_trouble(), engine.begin() as connection:
        free = connection.execute(text("SELECT pg_try_advisory_xact_lock(:key)"), {"key": _LOCK}).scalar_one()
        if not free:
            raise ConflictError("another process is reading the dead queues", remedy="Run it again in some seconds.")
        yield


def record_seen(connection: Connection, letters: Sequence[SeenLetter]) -> None:
    """Write the rows of letters that lie in a dead queue; a letter that is there again is open again."""
    if not letters:
        return
    statement = insert(dead_letters)
    new, old = statement.excluded, dead_letters.c
    settled = old.settled_at.is_not(None)
    connection.execute(
        statement.on_conflict_do_update(
            index_elements=["id"],
            set_={
                "body": func.coalesce(old.body, new.body),
                "headers": case((old.body.is_(None), new.headers), else_=old.headers),
                "state": case((settled, "open"), else_=old.state),
                "settled_at": null(),
            },
            where=settled | old.body.is_(None),
        ),
        [dict(vars(letter)) for letter in {letter.id: letter for letter in letters}.values()],
    )


def unsettled(connection: Connection, selection: Selection) -> list[SeenLetter]:
    """Return the letters that nobody has settled, oldest first."""
    return _letters(connection, selection.condition() & dead_letters.c.state.in_(UNSETTLED))


def letter(connection: Connection, letter_id: str) -> tuple[SeenLetter, str] | None:
    """Return one letter in any state, and its state."""
    found = _letters(connection, dead_letters.c.id == letter_id)
    if not found:
        return None
    state = connection.execute(select(dead_letters.c.state).where(dead_letters.c.id == letter_id)).scalar_one()
    return found[0], str(state)


def begin_replay(connection: Connection, ids: Sequence[str]) -> None:
    """Freeze the snapshot: these letters are being replayed, also if this process dies now."""
    connection.execute(
        update(dead_letters).where(dead_letters.c.id.in_(ids), dead_letters.c.state == "open").values(state="replaying")
    )


def settle_letters(connection: Connection, ids: Sequence[str], state: str, *, keep_leases: bool = False) -> None:
    """Say that these letters are `replayed` or `purged`, and end the leases of their sources unless told to keep."""
    rows = connection.execute(
        update(dead_letters)
        .where(dead_letters.c.id.in_(ids), dead_letters.c.state.in_(UNSETTLED))
        .values(state=state, settled_at=func.now())
        .returning(dead_letters.c.source_sha256)
    )
    sources = {row.source_sha256 for row in rows if row.source_sha256}
    if not keep_leases:
        connection.execute(
            update(publications)
            .where(publications.c.source_sha256.in_(sources), publications.c.state != "ended")
            .values(state="ended", ended_at=func.now(), end_reason="replay" if state == "replayed" else "purge")
        )
    if state == "purged":
        _let_try_again(connection, sources)


def _let_try_again(connection: Connection, sources: set[str]) -> None:
    """Make failed receipts publishable: nobody holds their dead letter any more."""
    status = receipt_processing_status.c
    connection.execute(
        update(receipt_processing_status)
        .where(status.source_sha256.in_(sources), status.status == "failed")
        .values(attempts=0, terminal=False, updated_at=func.now())
    )


def _letters(connection: Connection, condition: ColumnElement[bool]) -> list[SeenLetter]:
    columns = [dead_letters.c[name] for name in SeenLetter.__dataclass_fields__]
    rows = connection.execute(select(*columns).where(condition).order_by(dead_letters.c.dead_at, dead_letters.c.id))
    return [SeenLetter(**{**row._mapping, "body": row.body or b""}) for row in rows]  # noqa: SLF001 (public by contract)
