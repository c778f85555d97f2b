"""Fixtures of the exchange: a core on a fresh database and the session's NATS, and a client beside it."""

import os

import pytest

from tests.support.bus import Bus
from tests.support.nats_servers import NatsServer, SwallowingProxy, debian_nats
from tests.support.recognition import Core, Owner
from tests.support.servers import Database, fresh, start


@pytest.fixture(scope="session")
def shared_database(stack):
    """One database for these tests: each begins with empty tables, which is faster than a fresh one."""
    start(stack, "postgresql")
    made = Database(stack.postgresql, fresh("recognition"))
    made.create()
    yield made
    made.drop()


@pytest.fixture
def owner(shared_database):
    made = Owner(shared_database.url)
    made.empty()
    return made


@pytest.fixture
def core(owner, shared_database, nats, tmp_path):
    made = Core(shared_database.url_of("ledger_core"), nats.url, tmp_path)
    yield made
    made.exchange.engine.dispose()


@pytest.fixture
def bus(nats):
    made = Bus(nats.url)
    yield made
    made.close()


@pytest.fixture
def run_nats(tmp_path):
    """Start a NATS server of this test: `run_nats("max_payload: 2048")`."""
    running = []

    def run(configuration="", program=None):
        running.append(NatsServer(tmp_path / "nats", configuration, program))
        return running[-1]

    yield run
    for server in running:
        server.thaw()
        server.kill()


@pytest.fixture
def old_nats(run_nats):
    """The nats-server of Debian 12 (2.9)."""
    program = debian_nats()
    if program is None:
        if os.environ.get("CI") == "true":
            pytest.fail("the package nats-server is not installed")
        pytest.skip("the package nats-server is not installed: apt-get install nats-server")
    return run_nats("", program)


@pytest.fixture(params=[1, 2], ids=["after the handshake", "after the first flush"])
def swallowing(request, nats):
    """A proxy that takes what comes after a PING and passes none of it on."""
    proxy = SwallowingProxy(nats.port, request.param)
    yield proxy.url
    proxy.close()
