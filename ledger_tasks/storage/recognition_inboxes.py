"""Who listens and who ticks: what inboxes and ticks report about themselves, by the database's clock."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from sqlalchemy import Connection, case, delete, func, select, text
from sqlalchemy.dialects.postgresql import insert

from db.recognition import inbox_state, tick_state
from ledger_tasks.recognition.job import Inbox


class Backlog(NamedTuple):
    """What /healthcheck says of the outbox; None when nothing is queued, or when it never ran."""

    oldest_queued_seconds: float | None
    last_tick_seconds: float | None


def report_inbox(
    connection: Connection, instance: str, applied_through: datetime | None, listening_since: datetime | None
) -> None:
    """Say that an inbox is alive. `applied_through` None leaves it where it was: the journal still holds something."""
    connection.execute(_NOT_DURABLE)
    fresh = {"alive_at": func.clock_timestamp(), "listening_since": listening_since}
    moved = {} if applied_through is None else {"applied_through": applied_through}
    row = insert(inbox_state).values(instance=instance, **fresh, **moved)
    connection.execute(row.on_conflict_do_update(index_elements=["instance"], set_={**fresh, **moved}))


def keep_alive(connection: Connection, instances: Sequence[str]) -> None:
    """Say that journals left behind by others are in our hands."""
    alive = inbox_state.update().values(alive_at=func.clock_timestamp())
    connection.execute(alive.where(inbox_state.c.instance.in_(instances)))


def forget_inbox(connection: Connection, instance: str) -> None:
    """Remove an inbox whose journal is empty and that will not come back."""
    connection.execute(delete(inbox_state).where(inbox_state.c.instance == instance))


def load_inboxes(connection: Connection) -> list[Inbox]:
    """Return what every inbox reported."""
    columns = (inbox_state.c.alive_at, inbox_state.c.applied_through, inbox_state.c.listening_since)
    return [Inbox(*row) for row in connection.execute(select(*columns))]


def record_tick(connection: Connection, name: str, longest_gap: timedelta) -> datetime:
    """Note that a tick runs now; return since when it has been running without a longer gap."""
    connection.execute(_NOT_DURABLE)
    now = func.clock_timestamp()
    gap = now - tick_state.c.ran_at > longest_gap
    row = insert(tick_state).values(name=name, ran_at=now, observing_since=now)
    since = case((gap, now), else_=tick_state.c.observing_since)
    upsert = row.on_conflict_do_update(index_elements=["name"], set_={"ran_at": now, "observing_since": since})
    found: datetime = connection.execute(upsert.returning(tick_state.c.observing_since)).scalar_one()
    return found


def load_backlog(connection: Connection, tick: str) -> Backlog:
    """Return the age of the oldest queued job and of the last tick, in seconds."""
    return Backlog(*connection.execute(_BACKLOG, {"tick": tick}).one())


_NOT_DURABLE: Final = text("SET LOCAL synchronous_commit = off")
"""Reports and ticks come every second: the last one may be lost with the server, and the one before it counts."""

_BACKLOG: Final = text("""
    SELECT
        (SELECT extract(epoch FROM clock_timestamp() - min(requested_at))::float
         FROM recognition.recognition_job WHERE status = 'queued'),
        (SELECT extract(epoch FROM clock_timestamp() - ran_at)::float
         FROM recognition.tick_state WHERE name = :tick)
""")
