"""A running `ledger serve` and what it answers."""

import socket
import time
from typing import Any

import httpx

from tests.support.recognition import wait_until

OPERATE, READ = "operate-secret", "read-secret"
TOKENS = f"olga:operate:{OPERATE},roman:read:{READ}"


class Serve:
    """A client of one instance; `as_operator` and `as_reader` carry their tokens."""

    def __init__(self, run_role, environment, wait=True) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        given = {"LEDGER_API_TOKENS": TOKENS, "RECOGNITION_TICKS": "celery", **environment}
        self.role = run_role("serve", "--port", str(self.port), environment=given, wait=False)
        self.url = f"http://127.0.0.1:{self.port}"
        self.anonymous = httpx.Client(base_url=self.url, timeout=10)
        self.as_operator = httpx.Client(base_url=self.url, headers={"Authorization": f"Bearer {OPERATE}"}, timeout=30)
        self.as_reader = httpx.Client(base_url=self.url, headers={"Authorization": f"Bearer {READ}"}, timeout=10)
        if wait:
            wait_until(self.answers, 30)

    def answers(self) -> bool:
        assert self.role.process.poll() is None, self.role.text()
        try:
            return self.anonymous.get("/livez").status_code == 200
        except httpx.TransportError:
            return False

    def health(self) -> dict[str, Any]:
        answer = self.anonymous.get("/healthcheck")
        assert answer.status_code == 200
        return answer.json()

    def wait_for_health(self, seconds: float = 15, **expected: str) -> float:
        """Return after how many seconds /healthcheck says so."""
        began = time.monotonic()
        wait_until(lambda: expected.items() <= self.health().items(), seconds)
        return time.monotonic() - began
