"""`ledger database ...`: create and migrate the schemas, and build `ingest` anew."""

from dataclasses import asdict

from ledger_tasks.cli.connection import database
from ledger_tasks.cli.output import Json, emit, say
from ledger_tasks.storage import schema


def upgrade(as_json: Json = False) -> None:
    """Bring the schemas, the database roles and their grants to what this program needs; run twice it changes nothing.

    DATABASE_URL must be that of the database's owner.

    Example: `ledger database upgrade`
    """
    with database() as engine:
        done = schema.upgrade(engine)
    if as_json:
        emit(asdict(done))
    elif done.before == done.after:
        say(f"The database is up to date (revision {done.after}).")
    else:
        say(f"The database is now at revision {done.after} (was {done.before or 'empty'}).")


def rebuild_ingest(as_json: Json = False) -> None:
    """Drop schema `ingest` and build it anew from `budget`: no receipt, correction or expense is lost.

    Leases end with it, so the next scan may publish again what is already queued; that is safe.

    Example: `ledger database rebuild-ingest`
    """
    with database() as engine:
        done = schema.rebuild_ingest(engine)
    if as_json:
        emit(asdict(done))
    else:
        say(f"Rebuilt: {done.receipts} receipts, {done.receipt_paths} paths, {done.receipt_processing_status} states.")
