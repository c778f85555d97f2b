"""The health file of a worker: written by the loop that consumes, so that a stale file is a worker that does not."""

import json
import os
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from ledger_tasks.messaging.trouble import waited_for

PERIOD_SECONDS: Final = 3.0
STALE_SECONDS: Final = 15.0
"""Age at which a health file proves nothing any more: five missed periods."""


@dataclass(frozen=True, slots=True)
class Health:
    """One look: `state` is `ok` or what is wrong, `at` seconds since the epoch."""

    role: str
    pid: int
    at: float
    state: str
    consuming: tuple[str, ...] = ()
    holding: str = ""
    """The infrastructure code that deliveries wait for. It is no fault of the worker: a restart would not help."""


def look(role: str, consumer: Any) -> Health:
    """Ask Celery's consumer whether its channel is open and which queues it consumes."""
    tasks = consumer.task_consumer
    channel = getattr(tasks, "channel", None)
    # kombu keeps the consumer tags that the broker gave it, by queue, in this attribute only.
    queues = tuple(sorted(getattr(tasks, "_active_tags", ())))
    if channel is None or not channel.is_open or not queues:
        return Health(role, os.getpid(), time.time(), "not consuming")
    return Health(role, os.getpid(), time.time(), "ok", queues, waited_for())


def write(path: Path, health: Health) -> None:
    """Replace the health file atomically."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(json.dumps(asdict(health)))
    temporary.replace(path)


def read(path: Path, *, at: float) -> Health:
    """Return the last look; `state` says `stale` or `absent` when the file proves nothing."""
    try:
        found = json.loads(path.read_text())
    except FileNotFoundError:
        return Health("", 0, 0.0, "absent")
    health = Health(**{**found, "consuming": tuple(found["consuming"])})
    if at - health.at > STALE_SECONDS:
        return replace(health, state="stale")
    return health
