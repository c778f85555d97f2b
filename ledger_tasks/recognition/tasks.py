"""The three ticks as Celery tasks, each on its own queue; a tick that fails leaves its work to the next."""

import fcntl
import logging
import os
from collections.abc import Callable
from functools import cache
from typing import Final

from celery import current_app, shared_task

from ledger_tasks.errors import Infrastructure
from ledger_tasks.recognition import ticks
from ledger_tasks.settings import RecognitionSettings

log = logging.getLogger(__name__)


@shared_task(name="recognition.publish_outbox")
def publish_outbox() -> None:
    """Publish, publish again, give up."""
    _run(ticks.publish_outbox)


@shared_task(name="recognition.watch_deadlines")
def watch_deadlines() -> None:
    """Time out what is overdue."""
    _run(ticks.watch_deadlines)


@shared_task(name="recognition.map_results")
def map_results() -> None:
    """Turn results into documents."""
    _run(ticks.map_documents)


@cache
def _exchange() -> ticks.Exchange:
    """Open what this process needs, once, after the fork."""
    settings = getattr(current_app, "ledger_settings", None)
    assert isinstance(settings, RecognitionSettings)
    return ticks.open_exchange(settings)


def _run(tick: Callable[[ticks.Exchange], int]) -> None:
    exchange = _exchange()
    if exchange.settings.nats_enabled and _is_our_turn(_TURNS[tick]):
        try:
            tick(exchange)
        except Infrastructure as error:
            log.warning("the tick is left to the next one: %s", error)
        finally:
            fcntl.lockf(_turns, fcntl.LOCK_UN, 1, _TURNS[tick])


def _is_our_turn(number: int) -> bool:
    """Say whether no other process of this worker is at the same tick: a slow one must not occupy them all."""
    try:
        fcntl.lockf(_turns, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, number)
    except (BlockingIOError, PermissionError):
        log.info("the tick is still running in another process")
        return False
    return True


_TURNS: Final[dict[Callable[[ticks.Exchange], int], int]] = {
    ticks.publish_outbox: 0,
    ticks.watch_deadlines: 1,
    ticks.map_documents: 2,
}
"""Tick -> the byte that is locked while it runs."""

_turns: Final = os.memfd_create("ledger-ticks")
"""Made before the fork, so all processes of a worker share it; a lock ends with the process that holds it."""
