"""A service that does everything wrong that core NATS allows: it loses, repeats, shuffles, delays and forgets."""

import contextlib
import heapq
import itertools
import queue
import random
import threading
import time
from collections import Counter
from typing import Any

from contracts.recognition.request import Request, decode_request
from tests.support.bus import Bus
from tests.support.recognition import envelope, result_address


class UnreliableService:
    """Hears requests until `close`; `counted` says what it did."""

    def __init__(self, url: str, subject: str, deadline_seconds: float, seed: int) -> None:
        self.counted: Counter[str] = Counter()
        self._bus = Bus(url, max_reconnect_attempts=-1)
        self._heard = self._bus.listen(subject)
        self._deadline = deadline_seconds
        self._random = random.Random(seed)
        self._due: list[tuple[float, int, str, bytes, str | None]] = []
        self._order = itertools.count()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._ending.set()
        self._thread.join()
        self._bus.close()

    def _work(self) -> None:
        while not self._ending.is_set():
            with contextlib.suppress(queue.Empty):
                self._plan(decode_request(self._heard.get(timeout=0.05).body))
            while self._due and self._due[0][0] <= time.monotonic():
                _, _, subject, body, message_id = heapq.heappop(self._due)
                try:
                    self._bus.send(subject, body, message_id)
                except Exception:  # noqa: BLE001 (the server is killed and frozen all the time: that message is lost)
                    self.counted["lost with the server"] += 1

    def _plan(self, request: Request) -> None:
        chance = self._random.random
        self.counted["requests"] += 1
        if chance() < 0.1:
            self.counted["requests forgotten"] += 1
            return
        if chance() < 0.8:
            for _ in range(self._random.choice((1, 1, 1, 2, 3))):
                self._say(request, "processing", self._random.uniform(0, 0.5))
        else:
            self.counted["acknowledgements lost"] += 1
        if chance() < 0.1:
            self.counted["results lost"] += 1
            return
        late = chance() < 0.15
        self.counted["results late"] += late
        delay = self._random.uniform(0, 0.8) if not late else self._deadline * self._random.uniform(0.9, 1.5)
        status = self._random.choice(("done", "done", "done", "needs_check", "error"))
        for _ in range(self._random.choice((1, 1, 2, 3))):
            self._say(request, status, delay + self._random.uniform(0, 0.3))

    def _say(self, request: Request, status: str, delay: float) -> None:
        said: dict[str, Any] = {}
        if status in {"done", "needs_check"}:
            said["result_s3"] = result_address(request.job_id, request.file_id)
        if status == "error":
            said["error"] = {"code": "READ_FAILED", "message": "chaos"}
        body = envelope(request.job_id, status, self._random.choice(("1.0", "2.0")), **said)
        kind = "ack" if status == "processing" else "result"
        message_id = f"{kind}:{request.job_id}:{request.attempt}" if self._random.random() < 0.9 else None
        item = (time.monotonic() + delay, next(self._order), request.reply_subject, body, message_id)
        heapq.heappush(self._due, item)
        self.counted[f"{status} said"] += 1
