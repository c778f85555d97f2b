"""A real `ledger serve` on a database of 5000 receipts, and Debian's Chromium in front of it."""

import os
import secrets
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine, text

from ledger_tasks.devstack.ports import free_port
from ledger_tasks.storage.counts import fold
from tests.support.amqp import wait_until
from tests.support.roles import RunningRole
from tests.support.servers import Broker, Database, Volumes, fresh, start
from tests.web.made import make_twins
from tests.web.seed import seed

CHROMIUM = Path("/usr/bin/chromium")
RECEIPTS = 5000
SAMPLES = Path(__file__).parents[1] / "data" / "receipts"


@dataclass(frozen=True)
class Site:
    """Where the pages are, who may enter, and the owner's view of the database behind them."""

    url: str
    operator: str
    reader: str
    owner: Engine
    environment: dict[str, str]
    volumes: Volumes
    broker: Broker

    def one(self, query: str, **values: object) -> object:
        with self.owner.begin() as connection:
            return connection.execute(text(query), values).scalar()

    def run(self, statement: str, **values: object) -> None:
        with self.owner.begin() as connection:
            connection.execute(text(statement), values)


@pytest.fixture(scope="session")
def site(stack, tmp_path_factory) -> Iterator[Site]:
    """Everything once for the session: tests touch receipts of their own."""
    start(stack, "postgresql", "rabbitmq")
    database, broker = Database(stack.postgresql, fresh("pages")), Broker(stack.rabbitmq, fresh("pages"))
    database.create()
    broker.create()
    folder = tmp_path_factory.mktemp("pages")
    volumes = Volumes(folder / "receipts", folder / "cache")
    volumes.create()
    owner = create_engine(database.url.replace("postgresql:", "postgresql+psycopg:", 1))
    with owner.begin() as connection:
        seed(connection, RECEIPTS)
    fold(owner)
    with owner.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("VACUUM ANALYZE"))
    port, operator, reader = free_port(set()), secrets.token_urlsafe(), secrets.token_urlsafe()
    environment = {
        **database.environment_of("ledger_core"),
        **broker.environment,
        **volumes.environment,
        "LEDGER_API_TOKENS": f"anna:operate:{operator},bob:read:{reader}",
        "OBJECT_STORE_URL": f"file://{folder}/objects",
        "NATS_ENABLED": "false",
    }
    role = RunningRole(("serve", "--port", str(port)), environment, folder / "serve")
    made = Site(f"http://127.0.0.1:{port}", operator, reader, owner, environment, volumes, broker)
    try:
        wait_until(lambda: _answers(f"{made.url}/livez"), "ledger serve")
        yield made
    finally:
        role.end()
        print(role.text())
        owner.dispose()
        broker.delete()
        database.drop()


@pytest.fixture(scope="session")
def chromium():
    """Debian's browser; without it the test skips on a laptop and fails with CI=true."""
    from playwright.sync_api import sync_playwright

    if not CHROMIUM.exists() and os.environ.get("CI") != "true":
        pytest.skip("chromium is not installed: run deploy/install.sh")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def twins(site: Site) -> str:
    """Two receipts alike: the second waits as a possible duplicate."""
    return make_twins(site, "Twin & Sons")[1]


@pytest.fixture
def complaints() -> list[str]:
    """What the browser complained about: a refused script, an error, a file that is not there."""
    return []


@pytest.fixture
def open_page(chromium, site, complaints):
    """Open a page of the site as the operator, the reader or nobody, in a window of a size."""
    contexts = []

    def open_as(token: str | None, *, width: int = 1280, height: int = 900, dark: bool = False):
        context = chromium.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light", base_url=site.url
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        if token is not None:
            page.goto("/login")
            page.get_by_label("Your token").fill(token)
            page.get_by_role("button", name="Log in").click()
            page.get_by_role("heading", name="Overview").wait_for()
        return page

    yield open_as
    for context in contexts:
        context.close()


def _answers(url: str) -> bool:
    try:
        urllib.request.urlopen(url, timeout=2).close()
    except (OSError, urllib.error.URLError):
        return False
    return True
