"""PURE. What each of the shipped broker users may write and read; nobody may declare, delete or bind."""

from typing import Final, NamedTuple

from beat_schedule import timetable
from ledger_tasks.messaging.topology import EPOCH, RECEIPTS, RESULTS


class Permission(NamedTuple):
    """Exchanges that a user writes to, and queues that it reads."""

    writes: frozenset[str]
    reads: frozenset[str]


_TICKS: Final = frozenset(tick.queue for tick in timetable())
_OF_RECOGNITION: Final = frozenset(name for name in _TICKS if name.startswith("recognition."))
_DEAD: Final = frozenset({RECEIPTS.dead, RESULTS.dead})

PERMISSIONS: Final = {
    "publisher": Permission(frozenset({RECEIPTS.work, EPOCH}), _TICKS - _OF_RECOGNITION | _DEAD),
    "ocr": Permission(frozenset({RESULTS.work, RECEIPTS.retry, RECEIPTS.dead}), frozenset({RECEIPTS.work})),
    "collector": Permission(frozenset({RESULTS.retry, RESULTS.dead}), frozenset({RESULTS.work})),
    "recognition": Permission(frozenset(), _OF_RECOGNITION),
    "beat": Permission(_TICKS, frozenset()),
    "operator": Permission(frozenset({RECEIPTS.work, RESULTS.work, EPOCH}), _DEAD),
    "scaler": Permission(frozenset(), frozenset()),
}
"""By user of `deploy/rabbitmq/definitions.json`, which a test holds equal."""
