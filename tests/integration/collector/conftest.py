"""One migrated database for all tests here: emptying it is much cheaper than making another."""

from collections.abc import Iterator

import pytest

from ledger_tasks.devstack.stack import Stack
from tests.support.servers import Database, fresh, start


@pytest.fixture(scope="package")
def database(stack: Stack) -> Iterator[Database]:
    start(stack, "postgresql")
    made = Database(stack.postgresql, fresh("collector"))
    made.create()
    yield made
    made.drop()
