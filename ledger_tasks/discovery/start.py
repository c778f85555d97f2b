"""Settings of the publisher come in, a scan runs on connections of its own, and what it did goes out."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from sqlalchemy import Engine

from ledger_tasks.discovery.mounted import prove_mounted
from ledger_tasks.discovery.scan import Limits, Locked, Scanned, away, scan
from ledger_tasks.discovery.summary import Summary
from ledger_tasks.errors import Infrastructure
from ledger_tasks.messaging.ready import ready_publisher
from ledger_tasks.settings import PublisherSettings
from ledger_tasks.storage.database import connect, transaction
from ledger_tasks.storage.known_files import has_finished

CONNECTIONS: Final = 2
"""One that holds the scan's lock and view, one for its short transactions."""


def run_scan(
    settings: PublisherSettings,
    root: Path,
    *,
    patience: float,
    ignore_leases: bool = False,
    on_invalid: Callable[[str, str], None],
    on_progress: Callable[[Summary], None] = lambda _: None,
) -> Scanned | Locked:
    """Scan `root`; wait at most `patience` seconds for files that grow.

    Raises DependencyDownError or ConfigurationError when broker or volumes cannot be used: nothing was done then.
    """
    limits = Limits(
        max_attempts=settings.receipt_max_attempts,
        quiet=settings.receipt_quiet_seconds,
        lease=settings.lease_seconds,
        patience=patience,
        ignore_leases=ignore_leases,
    )
    engine = connect(settings.database_url, pool_size=CONNECTIONS)
    try:
        prove_mounted(root, settings.home_budget_ocr_cache, lambda: _has_finished(engine))
        with ready_publisher(settings) as publisher:
            return scan(root, settings.home_budget_ocr_cache, engine, publisher, limits, on_progress, on_invalid)
    except Infrastructure as trouble:
        return Scanned(Summary(), away(trouble, 0))
    finally:
        engine.dispose()


def _has_finished(engine: Engine) -> bool:
    with transaction(engine) as connection:
        return has_finished(connection)
