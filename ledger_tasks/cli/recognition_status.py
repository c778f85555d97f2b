"""`ledger recognition status`: how the exchange stands, and what hinders it."""

from ledger_tasks.cli.output import Json, emit, table
from ledger_tasks.cli.recognition import opened_exchange
from ledger_tasks.clock import now
from ledger_tasks.explanations import explain
from ledger_tasks.recognition.ticks import PUBLISH
from ledger_tasks.recognition.trouble import FORGOTTEN_AFTER
from ledger_tasks.storage import recognition_files as stored
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.recognition_inboxes import load_backlog
from ledger_tasks.storage.recognition_troubles import load_troubles


def status(json: Json = False) -> None:
    """Say how many jobs stand where, how old the oldest queued one is, when the outbox last ran, and what hinders it.

    Example: `ledger recognition status --json`
    """
    with opened_exchange() as exchange, transaction(exchange.engine) as connection:
        counts = stored.count_active(connection)
        backlog = load_backlog(connection, PUBLISH)
        troubles = load_troubles(connection, FORGOTTEN_AFTER)
    subjects, expire = exchange.settings.subjects, exchange.settings.credentials_last(now())
    if json:
        told = [trouble._asdict() for trouble in troubles]
        emit(
            {
                "active": counts,
                **backlog._asdict(),
                "subjects": subjects,
                "troubles": told,
                "credentials_expire_seconds": expire,
            }
        )
        return
    rows = [*counts.items(), *backlog._asdict().items(), *subjects.items(), ("credentials_expire_seconds", expire)]
    table(("what", "value"), rows)
    if troubles:
        remedies = [(each.place, each.code, round(each.seconds), explain(each.code).remedy) for each in troubles]
        table(("place", "trouble", "seconds", "remedy"), remedies)
