"""A running worker or clock: a role and its settings come in, an exit code or the failure that ended it goes out."""

import gc
import os
import secrets
import socket
import time
from pathlib import Path
from typing import Any

from celery import signals
from celery.beat import ScheduleEntry, Scheduler

from ledger_tasks import logs
from ledger_tasks.app import SETTLEMENT_SECONDS, LedgerApp, beat_app, worker_app
from ledger_tasks.errors import LedgerError
from ledger_tasks.exposition import expose
from ledger_tasks.health import PERIOD_SECONDS, Health, look, write
from ledger_tasks.messaging.settle import stopping
from ledger_tasks.messaging.topology import declare
from ledger_tasks.roles import Role
from ledger_tasks.settings import (
    BeatSettings,
    BrokerSettings,
    CollectorSettings,
    OcrSettings,
    PublisherSettings,
    RecognitionSettings,
)


def run(role: Role, settings: BrokerSettings, concurrency: int | None = None) -> int | LedgerError:
    """Run until SIGTERM. Returns Celery's exit code, or the failure of ours that ended the consumer."""
    logs.configure(role.name, settings.ledger_log_level)
    app = _app(role, settings)
    signals.setup_logging.connect(lambda **_: logs.configure(role.name, settings.ledger_log_level), weak=False)
    signals.worker_shutting_down.connect(lambda **_: stopping.set(), weak=False)
    if settings.ledger_metrics_port is not None:
        expose(settings.ledger_metrics_port)
    if settings.ledger_health_file is not None:
        _keep_health(app, role.name, settings.ledger_health_file)
    worker = app.Worker(
        hostname=node_name(role.name),
        pool=role.pool,
        concurrency=concurrency or _concurrency(settings),
        loglevel=settings.ledger_log_level,
        without_gossip=True,
        without_mingle=True,
        quiet=True,
    )
    gc.freeze()  # all modules are loaded and stay: no collection walks them again, and no child copies their pages
    worker.start()
    failure = app.ledger_failure
    return failure if isinstance(failure, LedgerError) else int(worker.exitcode or 0)


def run_beat(settings: BeatSettings) -> None:
    """Declare the topology, waiting for the broker, and send ticks until the process ends."""
    logs.configure("beat", settings.ledger_log_level)
    app = beat_app(settings)
    with app.connection_for_write() as connection:
        connection.ensure_connection()
        declare(connection, app.ledger_specs)
    app.ledger_settings = settings
    app.conf.update(beat_scheduler="ledger_tasks.worker:Clock", beat_max_loop_interval=PERIOD_SECONDS)
    app.Beat(loglevel=settings.ledger_log_level, quiet=True).run()


class Clock(Scheduler):
    """Celery's scheduler in memory, which says in the health file whether the last tick that was due could be sent."""

    app: LedgerApp
    _state = "ok"

    def tick(self, *arguments: Any, **options: Any) -> float:
        """Send what is due, and leave a sign of life."""
        pause: float = super().tick(*arguments, **options)
        settings = self.app.ledger_settings
        if settings is not None and settings.ledger_health_file is not None:
            write(settings.ledger_health_file, Health("beat", os.getpid(), time.time(), self._state))
        return pause

    def apply_async(self, entry: ScheduleEntry, *arguments: Any, **options: Any) -> Any:
        """Send one tick and remember how that went."""
        self._state = f"cannot send {entry.task}"
        sent = super().apply_async(entry, *arguments, **options)
        self._state = "ok"
        return sent


def hard_limit(settings: OcrSettings) -> float:
    """Return Celery's hard time limit in seconds: longer than lock, OCR, hold and settlement together."""
    return settings.lock_seconds + settings.ocr_timeout_seconds + settings.hold_seconds + SETTLEMENT_SECONDS


def node_name(role: str) -> str:
    """Return a Celery node name that no other process has: two of one name end the second (405)."""
    return f"{role}-{secrets.token_hex(3)}@{socket.gethostname()}"


def _app(role: Role, settings: BrokerSettings) -> LedgerApp:
    poll = settings.outbox_poll_seconds if isinstance(settings, RecognitionSettings) else 5
    app = worker_app(role, settings, outbox_poll_seconds=poll)
    app.ledger_settings = settings
    if isinstance(settings, OcrSettings):
        app.conf.task_time_limit = hard_limit(settings)
    return app


def _concurrency(settings: BrokerSettings) -> int:
    """Return processes or threads: the collector's threads only wait for the transaction that their events share."""
    match settings:
        case OcrSettings():
            return settings.ocr_worker_concurrency
        case CollectorSettings():
            return settings.collector_prefetch
        case PublisherSettings():
            return 2
        case _:
            return 3


def _keep_health(app: LedgerApp, role: str, path: Path) -> None:
    """Write the health file from the timer of the loop that consumes; before that, what it waits for."""
    app.ledger_waiting = lambda reason: write(path, Health(role, os.getpid(), time.time(), reason))

    def ready(sender: Any, **_: Any) -> None:
        write(path, look(role, sender))
        sender.timer.call_repeatedly(PERIOD_SECONDS, lambda: write(path, look(role, sender)))

    signals.worker_ready.connect(ready, weak=False)
