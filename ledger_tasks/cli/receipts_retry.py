"""`ledger receipts retry`: a failed receipt comes in and goes back to work."""

from ledger_tasks import retry as retrying
from ledger_tasks.cli.connection import database
from ledger_tasks.cli.lookup import Receipt, find
from ledger_tasks.cli.output import DryRun, Json, emit, say
from ledger_tasks.messaging.ready import ready_publisher
from ledger_tasks.messaging.topology import RECEIPTS
from ledger_tasks.settings import LeaseSettings, load
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.retries import standing


def retry(receipt: Receipt, dry_run: DryRun = False, as_json: Json = False) -> None:
    """Give a failed receipt three new attempts: it is queued, and its dead letters go away.

    Refuses (exit 10) a receipt that is done or being worked on.

    Example: `ledger receipts retry 2026-08-14/receipt.pdf`
    """
    settings = load(LeaseSettings)
    with database() as engine:
        with transaction(engine) as connection:
            source = find(connection, receipt)
            found = standing(connection, source)
        if refused := retrying.refusal(found):
            raise refused
        letters = found.letters
        if not dry_run:
            with ready_publisher(settings) as publisher:
                letters = retrying.retry(engine, publisher, source, lease_seconds=settings.lease_seconds).letters
    if as_json:
        emit(
            {
                "dead_letters": letters,
                "queue": RECEIPTS.work,
                "source_reference": found.source_reference,
                "source_sha256": source,
                "status": "would be queued" if dry_run else "queued",
            }
        )
    else:
        done = "Would be queued" if dry_run else "Queued"
        say(f"{done} with three new attempts: {found.source_reference} ({letters} dead letters taken away).")
