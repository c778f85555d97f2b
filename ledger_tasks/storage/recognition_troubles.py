"""Troubles of the exchange in PostgreSQL: whoever meets one notes it, and every process can tell."""

from datetime import timedelta
from typing import Final

from sqlalchemy import Connection, delete, func, select, text

from db.recognition import trouble
from ledger_tasks.recognition.trouble import Met, Trouble


def note_troubles(connection: Connection, met: Met) -> None:
    """Keep what hinders the places that were tried, since when it does, and forget those that work again."""
    connection.execute(_NOT_DURABLE)
    for place in sorted(met):  # in one order, so that no two transactions wait for each other
        if met[place] is None:
            connection.execute(delete(trouble).where(trouble.c.place == place))
        else:
            connection.execute(_MEET, {"place": place, "code": met[place]})


def load_troubles(connection: Connection, forgotten_after: timedelta) -> list[Trouble]:
    """Return what hinders the exchange and was met a short while ago, by place."""
    age = func.extract("epoch", func.clock_timestamp() - trouble.c.since)
    found = select(trouble.c.place, trouble.c.code, age)
    lately = found.where(trouble.c.seen_at > func.clock_timestamp() - forgotten_after)
    return [
        Trouble(place, code, float(seconds))
        for place, code, seconds in connection.execute(lately.order_by(trouble.c.place))
    ]


_NOT_DURABLE: Final = text("SET LOCAL synchronous_commit = off")
"""What a crash of the server loses is met and noted again."""

_MEET: Final = text("""
    INSERT INTO recognition.trouble AS known (place, code, since, seen_at)
    VALUES (:place, :code, clock_timestamp(), clock_timestamp())
    ON CONFLICT (place) DO UPDATE
    SET code = excluded.code, seen_at = excluded.seen_at,
        since = CASE WHEN known.code = excluded.code THEN known.since ELSE excluded.since END
""")
