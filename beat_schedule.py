"""The whole timetable: what beat sends, how often, and to which queue. Names and time only."""

from typing import Final, NamedTuple


class Tick(NamedTuple):
    """One entry: a Celery task name, its period in seconds, its own queue, and the setting that switches it on."""

    task: str
    seconds: float
    queue: str
    switch: str


DISCOVERY: Final = Tick("receipts.discover", 900, "ledger.v1.discovery", "discovery_by_beat")
RECONCILIATION: Final = Tick("receipts.reconcile_dead", 60, "ledger.v1.housekeeping", "always")


def timetable(outbox_poll_seconds: float = 5) -> tuple[Tick, ...]:
    """Return every entry; one task name per queue, since the queues hold one message each."""
    return (
        DISCOVERY,
        RECONCILIATION,
        Tick("recognition.publish_outbox", outbox_poll_seconds, "recognition.v1.ticks.publish", "nats_enabled"),
        Tick("recognition.watch_deadlines", 30, "recognition.v1.ticks.watch", "nats_enabled"),
        Tick("recognition.map_results", 5, "recognition.v1.ticks.map", "nats_enabled"),
    )
