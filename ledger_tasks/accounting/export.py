"""A range of days comes in; its bookings are written out, remembered and marked, and what changed goes out."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, Literal

from sqlalchemy import Engine

from ledger_tasks.accounting.booking import Booking, booking
from ledger_tasks.accounting.changes import Change, changes
from ledger_tasks.accounting.journals import to_beancount, to_hledger
from ledger_tasks.accounting.tables import to_csv, to_json_lines, to_xlsx
from ledger_tasks.storage.database import at_one_moment, transaction
from ledger_tasks.storage.exports import exportable, left, mark

Format = Literal["csv", "jsonl", "xlsx", "beancount", "hledger"]

FORMATS: Final[Mapping[Format, Callable[[Sequence[Booking]], bytes]]] = {
    "csv": to_csv,
    "jsonl": to_json_lines,
    "xlsx": to_xlsx,
    "beancount": to_beancount,
    "hledger": to_hledger,
}


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export told, and what of it the last export of these bookings did not tell."""

    bookings: tuple[Booking, ...]
    changes: tuple[Change, ...]

    @property
    def counts(self) -> dict[str, int]:
        """Return how many bookings are new, changed, unchanged, moved to other days, and gone."""
        found = Counter(each.change for each in self.changes)
        counts = {name: found[name] for name in ("new", "changed", "moved", "gone")}
        return counts | {"unchanged": len(self.bookings) - found["new"] - found["changed"]}


def export(
    engine: Engine,
    since: date | None,
    until: date | None,
    at: datetime,
    write: Callable[[Exported], None],
) -> Exported:
    """Give the bookings of these days, both included, to `write`, and mark them once it has returned.

    When writing or marking fails, nothing is marked and the next export says the same. Raises Infrastructure.
    """
    with transaction(at_one_moment(engine)) as connection:
        found, gone = exportable(connection, since, until), left(connection, since, until)
        mark(connection, found, gone, at)
        done = Exported(tuple(booking(each.said) for each in found), tuple(changes(found, gone)))
        write(done)
    return done


def preview(engine: Engine, since: date | None, until: date | None) -> Exported:
    """Return what an export would tell; nothing is written or marked. Raises Infrastructure."""
    with transaction(at_one_moment(engine)) as connection:
        found, gone = exportable(connection, since, until), left(connection, since, until)
    return Exported(tuple(booking(each.said) for each in found), tuple(changes(found, gone)))
