"""The recognition exchange: subjects, credentials and their expiry, without a network; then the server itself."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from ledger_tasks.doctor.finding import Finding
from ledger_tasks.recognition.bus import session
from ledger_tasks.settings import NatsSettings

SOON: Final = timedelta(days=7)


def examine_exchange(settings: NatsSettings, now: datetime) -> Iterator[Finding]:
    """Yield what is found; raises ConfigurationError (wrong settings) or Infrastructure (nothing answers)."""
    if not settings.nats_enabled:
        yield Finding("NATS", "skipped", "NATS_ENABLED is false")
        return
    seconds = settings.credentials_last(now)
    ends = "" if seconds is None else f"{now + timedelta(seconds=seconds):%Y-%m-%d %H:%M} UTC"
    if seconds is not None and seconds < SOON.total_seconds():
        yield Finding("NATS credentials", "warning", f"the JWT ends at {ends}", "Issue a new one.")
    else:
        yield Finding("NATS credentials", "ok", f"until {ends}" if ends else "no expiry")
    with session(settings, "doctor"):
        yield Finding("NATS", "ok", "the server takes us")
