"""The whole system in one document: files against outcomes, queues, ages, alarms."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from kombu import Connection
from sqlalchemy import Engine

from ledger_tasks.files.attempts import Start, open_starts, starts_of
from ledger_tasks.messaging.counts import ask_management, count_queues
from ledger_tasks.messaging.topology import topology
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.overview import Standing, standing, waiting
from ledger_tasks.storage.scans import LastScan, last_scan


def status(
    engine: Engine, broker: Connection, management_url: str | None, cache: Path | None, at: datetime
) -> dict[str, Any]:
    """Return the document of `ledger status --json`; null stands where something cannot be known."""
    with transaction(engine) as connection:
        stands, waits, scan = standing(connection), waiting(connection), last_scan(connection)
    view = ask_management(management_url, broker.virtual_host)
    queues = count_queues(broker, [spec.name for spec in topology()], view)
    starts = [start for sha256 in waits.oldest for start in starts_of(cache, sha256)] if cache else []
    return {
        "conservation": conservation(stands, scan),
        "queues": {name: asdict(count) for name, count in queues.items()},
        "unique_waiting": waits.unique,
        "oldest_ready_seconds": waits.oldest_seconds,
        "oldest_unacked_seconds": _oldest(starts, at),
        "delivery_counts": _counts(waits.oldest, cache),
        "unroutable_total": view.unroutable_total,
        "alarms": view.alarms,
        "last_scan_seconds": scan.seconds if scan else None,
    }


def conservation(stands: Standing, scan: LastScan | None) -> dict[str, int]:
    """Lay the files of the last scan beside what became of them; `remainder` is what no number accounts for."""
    numbers = scan.summary if scan else {}
    accounted = {
        "done": stands.done,
        "review": stands.review,
        "in_flight": stands.in_flight,
        "dead": stands.dead,
        "skipped": numbers.get("unsupported", 0),
        "invalid": numbers.get("invalid", 0),
    }
    files = numbers.get("discovered", 0)
    return {"files": files, **accounted, "remainder": files - sum(accounted.values())}


def _oldest(starts: Iterable[Start], at: datetime) -> float | None:
    ages = [(at - start.at).total_seconds() for start in open_starts(starts)]
    return max(ages, default=None)


def _counts(hashes: Iterable[str], cache: Path | None) -> dict[str, int] | None:
    """Count waiting receipts by how often their OCR was started; the broker tells nobody its delivery counts."""
    if cache is None:
        return None
    return {
        str(times): count for times, count in sorted(Counter(len(starts_of(cache, each)) for each in hashes).items())
    }
