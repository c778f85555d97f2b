"""Fixtures for everybody: a broker, a database, volumes, NATS, S3, and real roles. Servers start when first asked."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ledger_tasks.devstack.nats import Nats
from ledger_tasks.devstack.seaweedfs import SeaweedFS
from ledger_tasks.devstack.stack import Stack
from tests.support.roles import RunningRole
from tests.support.servers import Broker, Database, Volumes, fresh, start, throwaway_stack

pytest_plugins = ("tests.support.deliveries", "tests.support.desk", "tests.support.inbox")
"""Fixtures that more than one folder needs."""


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    """The session's servers; a test that kills one uses `own_stack`."""
    with throwaway_stack("session") as made:
        yield made


@pytest.fixture
def own_stack() -> Iterator[Stack]:
    """A stack of this test alone, in which nothing runs yet: `own_stack.start("nats")`."""
    with throwaway_stack(fresh("own")) as made:
        yield made


@pytest.fixture
def broker(stack: Stack) -> Iterator[Broker]:
    """A fresh virtual host: `.url`, `.environment`."""
    start(stack, "rabbitmq")
    made = Broker(stack.rabbitmq, fresh("test"))
    made.create()
    yield made
    made.delete()


@pytest.fixture
def database(stack: Stack) -> Iterator[Database]:
    """A fresh migrated database: `.url` of its owner, `.url_of("ledger_collector")`, `.environment`."""
    start(stack, "postgresql")
    made = Database(stack.postgresql, fresh("test"))
    made.create()
    yield made
    made.drop()


@pytest.fixture
def volumes(tmp_path: Path) -> Volumes:
    """A fresh receipt root and cache: `.root`, `.cache`, `.environment`."""
    made = Volumes(tmp_path / "receipts", tmp_path / "ocr-cache")
    made.create()
    return made


@pytest.fixture
def nats(stack: Stack) -> Nats:
    """The session's NATS server: `.url`."""
    start(stack, "nats")
    return stack.nats


@pytest.fixture
def s3(stack: Stack) -> SeaweedFS:
    """The session's S3: `.url`, `.bucket`, `.environment`."""
    start(stack, "s3")
    return stack.s3


@pytest.fixture
def run_role(tmp_path: Path) -> Iterator[Callable[..., RunningRole]]:
    """Start a role: `run_role("ocr", environment=broker.environment | volumes.environment)`.

    It consumes when this returns, with `wait=False` it only starts (serve has no health file). All end with
    the test; their logs are shown when it fails.
    """
    running: list[RunningRole] = []

    def run(*words: str, environment: dict[str, str], wait: bool = True) -> RunningRole:
        role = RunningRole(words, environment, tmp_path / f"role-{len(running)}-{words[0]}")
        running.append(role)
        if wait:
            role.wait_until_consuming()
        return role

    yield run
    for role in running:
        role.end()
        print(f"--- log of {role.name} ---\n{role.text()}")
