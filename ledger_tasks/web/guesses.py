"""PURE but for its memory. Wrong tokens come in with address and time; how long that address must wait goes out."""

import ipaddress
import math
from collections import OrderedDict, deque
from threading import Lock
from typing import Final

WINDOW_SECONDS: Final = 300.0
"""How long a wrong token counts."""

LOGINS_PER_ADDRESS: Final = 10
"""Wrong tokens that a person may type."""

CALLS_PER_ADDRESS: Final = 100
"""Wrong tokens of a program, which repeats its mistake until somebody looks."""

OVERALL: Final = 500
"""Wrong tokens of all addresses, so against all accounts; beyond it one is enough to wait."""

REMEMBERED: Final = 10_000
"""Addresses that are remembered; the longest silent are forgotten first."""

SHARED_BITS: Final = 64
"""An IPv6 network of this size is one caller: its owner has all the addresses in it."""


class Guesses:
    """Wrong tokens of the last five minutes. Each process counts its own."""

    def __init__(self, per_address: int) -> None:
        self._per_address = per_address
        self._wrong: OrderedDict[str, deque[float]] = OrderedDict()
        self._all: deque[float] = deque(maxlen=OVERALL)
        self._lock = Lock()

    def wait_seconds(self, address: str, at: float) -> int:
        """Return how many seconds this address must wait before a token of it is looked at; 0 for not at all."""
        with self._lock:
            times = self._recent(_caller(address), at)
            is_attack = len(self._all) == OVERALL and self._all[0] > at - WINDOW_SECONDS
            limit = 1 if is_attack else self._per_address
            return 0 if len(times) < limit else max(1, math.ceil(times[-limit] + WINDOW_SECONDS - at))

    def wrong(self, address: str, at: float) -> None:
        """Count a wrong token."""
        with self._lock:
            caller = _caller(address)
            self._wrong[caller] = self._recent(caller, at)
            self._wrong[caller].append(at)
            self._wrong.move_to_end(caller)
            self._all.append(at)
            while len(self._wrong) > REMEMBERED:
                self._wrong.popitem(last=False)

    def _recent(self, caller: str, at: float) -> deque[float]:
        times = self._wrong.get(caller, deque(maxlen=self._per_address))
        while times and times[0] <= at - WINDOW_SECONDS:
            times.popleft()
        return times


def _caller(address: str) -> str:
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    return address if parsed.version == 4 else str(ipaddress.ip_network((parsed, SHARED_BITS), strict=False))
