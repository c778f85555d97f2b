"""`ledger housekeeping`: remove what the retention rule no longer keeps, and bring the counts up to date."""

from dataclasses import asdict

from ledger_tasks.cli.connection import database
from ledger_tasks.cli.output import Json, emit, say
from ledger_tasks.discovery.mounted import volumes_needed
from ledger_tasks.files.volumes import prove
from ledger_tasks.housekeeping.sweep import sweep
from ledger_tasks.settings import VolumeSettings, load
from ledger_tasks.storage.counts import fold


def housekeeping(as_json: Json = False) -> None:
    """Remove locks, markers, budgets, batches, artifacts and leases that are older than RETENTION_DAYS.

    Nothing goes that a lease, a dead letter or a row of the database still names. Brings the sums up to date from
    which status and pages count. The clock of beat does the first once a day and the second every minute.

    Example: `ledger housekeeping --json`
    """
    settings = load(VolumeSettings)
    with database() as engine, volumes_needed():
        fold(engine)
        prove(settings.receipt_source_root, settings.home_budget_ocr_cache)
        swept = sweep(settings.home_budget_ocr_cache, engine, settings.retention_days)
    if as_json:
        emit(asdict(swept))
    else:
        say(", ".join(f"{count} {name} removed" for name, count in asdict(swept).items()))
