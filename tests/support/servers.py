"""Real servers for one test session: each starts when a test first asks for it, and all end with the session."""

import os
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from filelock import FileLock
from psycopg import sql

from ledger_tasks.devstack.binaries import MissingServerError
from ledger_tasks.devstack.postgresql import PostgreSQL
from ledger_tasks.devstack.rabbitmq import RabbitMQ
from ledger_tasks.devstack.schema import prepare_database
from ledger_tasks.devstack.service import ServiceName
from ledger_tasks.devstack.stack import Stack
from ledger_tasks.files import volumes
from tests.support.rabbitmq_of_tree import stack_in

FOLDER = Path(f"/tmp/ledger-tests-{os.geteuid()}")
TEMPLATE = "ledger_template"


@contextmanager
def throwaway_stack(name: str) -> Iterator[Stack]:
    """Give a stack in which nothing runs yet, and leave nothing of it; also of those whose session was killed."""
    FOLDER.mkdir(mode=0o700, exist_ok=True)
    with FileLock(FOLDER.with_suffix(".lock")):
        for other in FOLDER.iterdir():
            if not Path(f"/proc/{other.name.partition('-')[0]}").exists():
                Stack(other).down(purge=True)
    with stack_in(FOLDER / f"{os.getpid()}-{name}", FOLDER) as stack:
        try:
            yield stack
        finally:
            stack.down(purge=True)


def start(stack: Stack, *names: ServiceName) -> None:
    """Start services; one that is not installed skips the test on a laptop and fails it with CI=true."""
    try:
        stack.start(*names)
    except MissingServerError as missing:
        if os.environ.get("CI") == "true":
            raise
        pytest.skip(f"{missing.message}: {missing.remedy}")


@dataclass(frozen=True)
class Broker:
    """A virtual host of one test. Retries wait 1 s here instead of 60."""

    server: RabbitMQ
    virtual_host: str

    @property
    def url(self) -> str:
        return self.server.url_of(self.virtual_host)

    @property
    def environment(self) -> dict[str, str]:
        return {"RABBITMQ_URL": self.url, "RECEIPT_RETRY_SECONDS": "1"}

    def api(self, path: str) -> Any:
        """Read from the management API, e.g. `queues`; its counters lag up to 5 s, its names and arguments do not."""
        return self._call("GET", f"{path}/{self.virtual_host}").json()

    def create(self) -> None:
        self._call("PUT", f"vhosts/{self.virtual_host}")

    def delete(self) -> None:
        self._call("DELETE", f"vhosts/{self.virtual_host}")

    def limit(self, queue: str, length: int) -> None:
        """Let a queue hold about so many messages from now on; the smaller limit counts, its own or this one."""
        policy = {"pattern": f"^{re.escape(queue)}$", "definition": {"max-length": length}, "apply-to": "queues"}
        self._call("PUT", f"policies/{self.virtual_host}/{queue}", policy)

    def unlimit(self, queue: str) -> None:
        self._call("DELETE", f"policies/{self.virtual_host}/{queue}")

    def _call(self, method: str, path: str, body: Any = None) -> httpx.Response:
        url = f"{self.server.management_url}/api/{path}"
        return httpx.request(method, url, json=body, timeout=20).raise_for_status()


@dataclass(frozen=True)
class Database:
    """A migrated database of one test."""

    server: PostgreSQL
    name: str

    @property
    def url(self) -> str:
        """The owner's address."""
        return self.server.url_of(self.name)

    @property
    def environment(self) -> dict[str, str]:
        return {"DATABASE_URL": self.url}

    def url_of(self, login: str) -> str:
        """The address of `ledger_publisher`, `ledger_collector` or `ledger_core`."""
        return self.server.url_of(self.name, login)

    def environment_of(self, login: str) -> dict[str, str]:
        return {"DATABASE_URL": self.url_of(login)}

    def create(self) -> None:
        if not self.server.has_database(TEMPLATE):
            prepare_database(self.server, TEMPLATE)
        made = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        self.server.run(made.format(sql.Identifier(self.name), sql.Identifier(TEMPLATE)))

    def drop(self) -> None:
        self.server.run(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(self.name)))


@dataclass(frozen=True)
class Volumes:
    """A receipt root and a cache of one test, initialised."""

    root: Path
    cache: Path

    @property
    def environment(self) -> dict[str, str]:
        return {"RECEIPT_SOURCE_ROOT": str(self.root), "HOME_BUDGET_OCR_CACHE": str(self.cache)}

    def create(self) -> None:
        self.root.mkdir()
        self.cache.mkdir()
        volumes.initialise(self.root, self.cache)


def fresh(prefix: str) -> str:
    return f"{prefix}_{uuid.uuid4().hex[:12]}"
