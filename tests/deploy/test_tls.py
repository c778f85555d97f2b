"""TLS by configuration alone: with the URLs of `credentials.py --tls` and SSL_CERT_FILE, on three real servers."""

import asyncio
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from pydantic import SecretStr

from deploy.credentials import Addresses, make_secrets
from ledger_tasks.devstack.postgresql import PostgreSQL
from ledger_tasks.errors import Infrastructure
from ledger_tasks.messaging.publish import BrokerAwayError, Publisher
from ledger_tasks.storage.database import connect, transaction
from tests.deploy.conftest import PASSWORDS
from tests.support.certificates import Certificates, certificates
from tests.support.nats_servers import NatsServer
from tests.support.node import Node, node
from tests.support.servers import fresh

HERE = "127.0.0.1"
Trust = Callable[[Certificates], None]


@pytest.fixture(scope="module")
def right() -> Certificates:
    return certificates(HERE)


@pytest.fixture
def trust(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Trust:
    """Trust one authority as a pod does."""

    def trusting(authority: Certificates) -> None:
        file = tmp_path / f"{fresh('ca')}.crt"
        file.write_bytes(authority.ca)
        monkeypatch.setenv("SSL_CERT_FILE", str(file))
        monkeypatch.delenv("SSL_CERT_DIR", raising=False)

    return trusting


@pytest.fixture(scope="module")
def broker_with_tls(right: Certificates) -> Iterator[Node]:
    definitions = make_secrets(PASSWORDS, Addresses())["rabbitmq"]["definitions.json"]
    with node(Path("/tmp") / fresh("ledger-tls"), definitions, tls=right) as made:
        yield made


def test_a_worker_consumes_over_amqps(
    broker_with_tls: Node, trust: Trust, right: Certificates, volumes, run_role
) -> None:
    trust(right)
    secrets = make_secrets(PASSWORDS, Addresses(broker=broker_with_tls.address, tls=True))
    ours = {"LEDGER_CELERY_EVENTS": "false", "SSL_CERT_FILE": os.environ["SSL_CERT_FILE"]}
    assert secrets["ocr-broker"]["RABBITMQ_URL"].startswith("amqps://")
    run_role("ocr", environment=volumes.environment | secrets["ocr-broker"] | ours)


def test_a_publisher_refuses_a_broker_of_another_authority_and_one_of_another_name(
    broker_with_tls: Node, trust: Trust, right: Certificates
) -> None:
    url = make_secrets(PASSWORDS, Addresses(broker_with_tls.address, tls=True))["publisher-broker"]["RABBITMQ_URL"]
    trust(right)
    with Publisher(url) as publisher:
        assert publisher.connection().connected
    other_name = url.replace(HERE, "127.0.0.2")  # the same node: it listens there too, but no certificate says so
    for refused, authority in ((other_name, right), (url, certificates(HERE))):
        trust(authority)
        with Publisher(refused) as publisher, pytest.raises(BrokerAwayError, match="SSLCertVerificationError"):
            publisher.connection()


def test_with_tls_the_broker_listens_to_nothing_else(broker_with_tls: Node) -> None:
    with pytest.raises(OSError, match=r"closed connection|reset"):
        broker_with_tls.connect("ocr", PASSWORDS["broker-ocr"])


def test_postgresql_is_verified_by_name_and_authority(own_stack, trust: Trust, right: Certificates) -> None:
    own_stack.start("postgresql")
    server = own_stack.postgresql
    serve_tls(server, right)
    address = Addresses(database=f"{HERE}:{server.port}/postgres", tls=True)
    url = address.postgresql("ledger", server.password)
    assert "sslmode=verify-full" in url
    trust(right)
    assert in_use(url) is True
    with pytest.raises(Infrastructure):
        in_use(url.replace(HERE, "localhost"))
    trust(certificates(HERE))
    with pytest.raises(Infrastructure):
        in_use(url)


def test_nats_is_verified_by_name_and_authority(tmp_path: Path, trust: Trust, right: Certificates) -> None:
    from ledger_tasks.recognition.bus import BusDown, link
    from ledger_tasks.settings import NatsSettings

    files = right.as_in_a_secret(tmp_path)
    server = NatsServer(tmp_path, f"tls {{ cert_file: '{files['certfile']}', key_file: '{files['keyfile']}' }}")
    address = Addresses(nats=f"{HERE}:{server.port}", tls=True).nats_url("core", "any")

    async def reach(url: str) -> None:
        async with link(NatsSettings(nats_url=SecretStr(url)), "test") as found:
            await found.prove()

    try:
        assert address.startswith("tls://")
        trust(right)
        asyncio.run(reach(address))
        with pytest.raises(BusDown):
            asyncio.run(reach(address.replace(HERE, "127.0.0.2")))
        trust(certificates(HERE))
        with pytest.raises(BusDown):
            asyncio.run(reach(address))
    finally:
        server.kill()


def serve_tls(server: PostgreSQL, with_certificates: Certificates) -> None:
    for path in with_certificates.as_in_a_secret(server.folder).values():
        if os.geteuid() == 0:
            shutil.chown(path, "postgres", "postgres")
    with psycopg.connect(server.url_of("postgres"), autocommit=True) as owner:
        for name, value in (("ssl_cert_file", "tls.crt"), ("ssl_key_file", "tls.key"), ("ssl", "on")):
            owner.execute(f"ALTER SYSTEM SET {name} = '{value}'")
        owner.execute("SELECT pg_reload_conf()")


def in_use(url: str) -> bool:
    """Reach the server as every role of ours does, and say whether the connection is encrypted."""
    engine = connect(SecretStr(url), pool_size=1)
    try:
        with transaction(engine) as connection:
            found = connection.exec_driver_sql("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()").scalar_one()
            return bool(found)
    finally:
        engine.dispose()
