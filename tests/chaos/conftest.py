"""A broker of one test alone, for faults that would hit every other test too."""

import pytest

from ledger_tasks.devstack.rabbitmq import VIRTUAL_HOST
from ledger_tasks.devstack.stack import Stack
from tests.support.servers import Broker, start


@pytest.fixture
def own_broker(own_stack: Stack) -> Broker:
    start(own_stack, "rabbitmq")
    return Broker(own_stack.rabbitmq, VIRTUAL_HOST)
