"""Fixtures of the deployment: a broker that boots the shipped files, and the passwords everything is made of."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.credentials import NAMES, Addresses, Secrets, make_secrets
from tests.support.debian import debian
from tests.support.node import Node, node
from tests.support.servers import fresh

PASSWORDS = {name: f"password-of-{name}" for name in NAMES}


@pytest.fixture(
    scope="session", params=["3.10", pytest.param("4.0", marks=[pytest.mark.matrix, pytest.mark.timeout(900)])]
)
def shipped(request: pytest.FixtureRequest) -> Iterator[Node]:
    """A node with the shipped rabbitmq.conf, plugins and definitions: this machine's RabbitMQ, or Debian 13's."""
    definitions = make_secrets(PASSWORDS, Addresses())["rabbitmq"]["definitions.json"]
    folder = Path("/tmp") / fresh("ledger-node")
    if request.param == "3.10":
        with node(folder, definitions) as made:
            yield made
    else:
        with debian("trixie", "rabbitmq-server") as tree, node(folder, definitions, tree=tree) as made:
            yield made


@pytest.fixture(scope="session")
def secrets(shipped: Node) -> Secrets:
    """Every Secret of the deployment, with the address of that node."""
    return make_secrets(PASSWORDS, Addresses(broker=shipped.address))
