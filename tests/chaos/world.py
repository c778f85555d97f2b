"""The world under fault: private servers, a cuttable network, two OCR workers and a collector that always come back."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from ledger_tasks.devstack.stack import Stack
from tests.support.proxy import Proxy
from tests.support.roles import RunningRole
from tests.support.servers import Broker, Database, Volumes, fresh, throwaway_stack

ROLES = ("ocr", "ocr", "collector")


class World:
    """`environment` reaches the broker directly; the roles reach it through the proxy."""

    def __init__(self, stack: Stack, folder: Path) -> None:
        self.stack = stack
        self.folder = folder
        self.broker = Broker(stack.rabbitmq, fresh("chaos"))
        self.database = Database(stack.postgresql, fresh("chaos"))
        self.volumes = Volumes(folder / "receipts", folder / "ocr-cache")
        self.broker.create()
        self.database.create()
        self.volumes.create()
        address = urlsplit(self.broker.url)
        assert address.port is not None
        self.proxy = Proxy(address.port)
        short = {"HOLD_SECONDS": "10", "LOCK_SECONDS": "5", "RECEIPT_QUIET_SECONDS": "0.1"}
        everything = self.broker.environment | self.database.environment | self.volumes.environment | short
        self.environment = everything
        proxied = self.broker.url.replace(f":{address.port}/", f":{self.proxy.port}/")
        self._of_role = {
            "ocr": {name: everything[name] for name in everything if name != "DATABASE_URL"}
            | {"RABBITMQ_URL": proxied},
            "collector": everything | {"RABBITMQ_URL": proxied},
        }
        self.roles: list[RunningRole] = []
        self.bodies: list[bytes] = []
        """Work bodies as they were first published, for duplicates and refreshes."""
        self._started = 0

    def keep_running(self) -> None:
        """Start every role that is not running, as a supervisor would."""
        for place, name in enumerate(ROLES):
            if place < len(self.roles) and self.roles[place].process.poll() is None:
                continue
            self._started += 1
            role = RunningRole((name,), self._of_role[name], self.folder / f"{name}-{self._started}")
            if place < len(self.roles):
                self.roles[place] = role
            else:
                self.roles.append(role)

    def named(self, name: str) -> list[RunningRole]:
        return [role for role in self.roles if role.name == name and role.process.poll() is None]

    def end(self) -> None:
        for role in self.roles:
            role.end()
        self.proxy.close()


@contextmanager
def world() -> Iterator[World]:
    """Give a world, and leave nothing of it."""
    with throwaway_stack(fresh("chaos")) as stack, TemporaryDirectory(prefix="ledger-chaos-") as folder:
        stack.start("rabbitmq", "postgresql")
        made = World(stack, Path(folder))
        try:
            yield made
        finally:
            made.end()
