"""The order of all times: OCR limit < hard limit < grace < the broker's consumer timeout."""

from collections.abc import Iterator
from typing import Final

from ledger_tasks.doctor.finding import Finding
from ledger_tasks.settings import OcrSettings
from ledger_tasks.worker import hard_limit

CONSUMER_TIMEOUT_SECONDS: Final = 1800
"""RabbitMQ's default: a delivery that is unacknowledged for longer closes the channel."""


def examine_times(settings: OcrSettings) -> Iterator[Finding]:
    """Yield whether one delivery always ends before the broker loses patience."""
    longest = hard_limit(settings)
    told = f"one delivery takes at most {longest:g} s; the broker waits {CONSUMER_TIMEOUT_SECONDS} s unless configured"
    if longest < CONSUMER_TIMEOUT_SECONDS:
        yield Finding("time limits", "ok", told)
    else:
        remedy = "Lower OCR_TIMEOUT_SECONDS or HOLD_SECONDS, or raise consumer_timeout."
        yield Finding("time limits", "wrong", told, remedy)
