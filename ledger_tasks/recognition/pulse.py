"""Whether something still works: beats come in, fresh or stale goes out; a frozen server shows in nothing else."""

import asyncio
import time
from dataclasses import dataclass


@dataclass(slots=True)
class Pulse:
    """The moment of the last proof, by the monotonic clock; stale after `limit_seconds`."""

    limit_seconds: float
    _last: float | None = None

    def beat(self) -> None:
        """Note a proof."""
        self._last = time.monotonic()

    def stop(self) -> None:
        """Note a disproof."""
        self._last = None

    @property
    def fresh(self) -> bool:
        """Say whether the last proof is recent."""
        return self._last is not None and time.monotonic() - self._last < self.limit_seconds


async def either(*events: asyncio.Event, within: float) -> None:
    """Return when one of the events is set, or after so many seconds."""
    waits = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait(waits, timeout=within, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
