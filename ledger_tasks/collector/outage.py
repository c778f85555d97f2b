"""A database that is away, for all threads that wait for it: failures go in, whether to try again comes out."""

import threading
import time
from collections.abc import Callable
from typing import Final

FIRST_PAUSE: Final = 0.2
LONGEST_PAUSE: Final = 5.0
"""Seconds after a failure until the next look; doubled with each failure."""


class Outage:
    """Shared by every delivery that is held, so that a hundred of them make one connection attempt, not a hundred."""

    def __init__(self, is_reachable: Callable[[], bool], clock: Callable[[], float] = time.monotonic) -> None:
        self._is_reachable = is_reachable
        self._clock = clock
        self._lock = threading.Lock()
        self._pause = FIRST_PAUSE
        self._next_look = 0.0

    def began(self) -> None:
        """Note a failure: nobody looks again before the pause is over."""
        with self._lock:
            self._postpone()

    def ended(self) -> None:
        """Note a success: the next failure is the first of its kind."""
        self._pause = FIRST_PAUSE

    def is_over(self) -> bool:
        """Say whether it is worth trying again; at most one caller looks, the others are told to wait."""
        with self._lock:
            if self._clock() < self._next_look:
                return False
            if self._is_reachable():
                return True
            self._postpone()
            return False

    def _postpone(self) -> None:
        now = self._clock()
        if now >= self._next_look:
            self._next_look = now + self._pause
            self._pause = min(self._pause * 2, LONGEST_PAUSE)
