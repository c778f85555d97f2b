"""One process under chaos, maybe sabotaged: `python -m tests.chaos.recognition_process publish`."""

import asyncio
import os
import random
import sys
import time
from collections.abc import Callable
from contextlib import suppress

from sqlalchemy import text

from ledger_tasks import logs
from ledger_tasks.clock import new_id
from ledger_tasks.errors import Infrastructure
from ledger_tasks.recognition import applier, job, retry, ticks
from ledger_tasks.recognition.listener import Inbox
from ledger_tasks.settings import ServeSettings, load

SOME = "SELECT id FROM recognition.stored_file WHERE status = 'ERROR' OR random() < 0.05 ORDER BY random() LIMIT 20"


def serve(exchange: ticks.Exchange, settings: ServeSettings) -> None:
    """Run an inbox."""
    assert settings.recognition_spool_dir
    asyncio.run(Inbox(settings, exchange.engine, settings.recognition_spool_dir, new_id()).run())


def every(seconds: float, work: Callable[[], object]) -> None:
    """Repeat, whatever is away."""
    while True:
        with suppress(Infrastructure):
            work()
        time.sleep(seconds * random.uniform(0.5, 1.5))


def retry_some(exchange: ticks.Exchange) -> None:
    """Retry failed files, and some that have not failed."""
    with exchange.engine.begin() as connection:
        files = [str(row.id) for row in connection.execute(text(SOME))]
    retry.retry_files(exchange.engine, files, "chaos")


SABOTAGE: dict[str, Callable[[], None]] = {
    "": lambda: None,
    # A late answer changes what is final.
    "final": lambda: setattr(job, "ACTIVE", job.ACTIVE | job.FAILED | job.SUCCEEDED),
    # A retry does not look whether the attempt has failed.
    "retry": lambda: setattr(retry, "refuse_retry", lambda _current: None),
    # The inbox forgets half of what it received.
    "lose": lambda: setattr(applier, "settle", lambda engine, entries: set()),
}


def main() -> None:
    role = sys.argv[1]
    logs.configure(role, "WARNING")
    SABOTAGE[os.environ.get("SABOTAGE", "")]()
    settings = load(ServeSettings)
    exchange = ticks.open_exchange(settings)
    match role:
        case "serve":
            serve(exchange, settings)
        case "publish":
            every(settings.outbox_poll_seconds, lambda: ticks.publish_outbox(exchange))
        case "watch":
            every(settings.recognition_watch_seconds, lambda: ticks.watch_deadlines(exchange))
        case "map":
            every(settings.recognition_map_seconds, lambda: ticks.map_documents(exchange))
        case "retry":
            every(0.5, lambda: retry_some(exchange))


if __name__ == "__main__":
    main()
