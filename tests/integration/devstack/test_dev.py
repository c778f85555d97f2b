"""`ledger dev` from outside: up, again, after a crash, side by side, below a closed folder, and down."""

import contextlib
import json
import os
import signal
import subprocess
import sysconfig
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import amqp
import psycopg
import pytest

from ledger_tasks.devstack.home import Home
from ledger_tasks.devstack.leftovers import processes
from tests.support.servers import FOLDER, fresh, start

ADDRESSES = ("RABBITMQ_URL", "DATABASE_URL", "NATS_URL", "LEDGER_URL", "AWS_ENDPOINT_URL")
BALANCE = Path(__file__).parents[2] / "data" / "trial_balances" / "russian.xlsx"
LEDGER = Path(sysconfig.get_path("scripts")) / "ledger"


class Dev:
    """`ledger dev` on one folder, in an environment that names no service."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *words: str, expect: int = 0, **environment: str) -> str:
        base = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        done = subprocess.run(
            [LEDGER, "dev", *words, "--dir", self.folder],
            env=base | environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == expect, done.stderr
        return done.stdout

    def up(self, *words: str, **environment: str) -> dict[str, dict[str, dict[str, object]]]:
        return json.loads(self.run("up", "--json", *words, **environment))

    def env(self) -> dict[str, str]:
        return json.loads(self.run("env", "--json"))

    def processes(self) -> list[int]:
        return list(processes(Home(self.folder)))


@pytest.fixture
def closed_folder(stack) -> Iterator[Path]:
    """A folder that only its owner can enter, as a clone below /root or a temporary folder is."""
    start(stack, "nats", "postgresql", "rabbitmq")  # a missing program skips here
    folder = FOLDER / fresh(f"{os.getpid()}-closed")
    folder.mkdir(mode=0o700)
    yield folder
    for child in folder.iterdir():
        Dev(child).run("down", "--purge")
    folder.rmdir()


def works(environment: dict[str, str]) -> bool:
    """Whether the addresses that `dev env` prints lead to servers that answer and a database that is migrated."""
    address = environment["RABBITMQ_URL"].removeprefix("amqp://")
    login, _, place = address.partition("@")
    user, _, password = login.partition(":")
    host, _, virtual_host = place.partition("/")
    with amqp.Connection(host=host, userid=user, password=password, virtual_host=virtual_host):
        pass
    with psycopg.connect(environment["DATABASE_URL"]) as connection:
        connection.execute("SELECT FROM ingest.receipts")
    return (Path(environment["RECEIPT_SOURCE_ROOT"]) / ".ledger-volume").exists()


@pytest.mark.trap(35)
@pytest.mark.trap(37)
def test_a_stack_comes_up_twice_survives_a_crash_keeps_its_data_and_leaves_no_process(closed_folder):
    dev = Dev(closed_folder / "one")
    first = dev.up("--roles", "publisher,ocr")
    environment = dev.env()
    assert works(environment)
    assert "DATABASE_URL" not in environment_of(pids(first)["ocr"])
    assert "//ledger_publisher:" in environment_of(pids(first)["publisher"])["DATABASE_URL"]

    again = dev.up("--roles", "publisher,ocr")
    assert pids(again) == pids(first)

    with psycopg.connect(environment["DATABASE_URL"]) as connection:
        connection.execute("CREATE TABLE kept (id int)")
    for pid in dev.processes():
        with contextlib.suppress(ProcessLookupError):  # one that ended by itself
            os.kill(pid, signal.SIGKILL)
    after_crash = dev.up("--roles", "ocr")
    assert not set(pids(after_crash).values()) & set(pids(first).values())
    assert dev.env() == environment
    with psycopg.connect(environment["DATABASE_URL"]) as connection:
        connection.execute("SELECT FROM kept")

    dev.run("down")
    assert dev.processes() == []
    assert not Home(dev.folder).sockets.exists()
    dev.run("status", expect=7)
    assert (dev.folder / "postgresql" / "PG_VERSION").exists()
    dev.run("down", "--purge")
    assert not dev.folder.exists()


def test_two_folders_are_two_independent_stacks(closed_folder):
    one, two = Dev(closed_folder / "one"), Dev(closed_folder / "two")
    with ThreadPoolExecutor() as both:
        list(both.map(lambda dev: dev.up("--s3"), (one, two)))
    here, there = one.env(), two.env()
    assert all(here[name] != there[name] for name in ADDRESSES)
    assert here["OBJECT_STORE_URL"] == "s3:"
    one.run("down", "--purge")
    assert works(there)


def test_exactly_the_named_roles_run_and_one_that_dies_is_started_again(closed_folder, broker, database, nats):
    dev = Dev(closed_folder / "roles")
    given = broker.environment | database.environment | {"NATS_URL": nats.url}
    shown = dev.up("--roles", "ocr,beat", **given)
    assert {name: line["state"] for name, line in shown["services"].items()} == dict.fromkeys(
        shown["services"], "given"
    )
    before = pids(shown)
    os.kill(before["ocr"], signal.SIGKILL)
    after = pids(dev.up("--roles", "ocr", **given))
    assert after.keys() == {"ocr"}
    assert after["ocr"] != before["ocr"]
    assert not Path(f"/proc/{before['beat']}").exists()
    assert "DATABASE_URL" not in environment_of(after["ocr"])


def test_the_exchange_comes_up_by_one_command_and_a_trial_balance_becomes_rows(closed_folder, broker, database, nats):
    dev = Dev(closed_folder / "exchange")
    dev.up("--roles", "beat,recognition,serve", **broker.environment, **database.environment, NATS_URL=nats.url)
    environment = dict(os.environ) | dev.env()
    service = subprocess.Popen([LEDGER, "recognizer", "tabular"], env=environment, stderr=subprocess.DEVNULL)
    try:
        words = ["recognition", "submit", BALANCE, "--pipeline", "tabular", "--wait", "--timeout", "90", "--json"]
        done = subprocess.run([LEDGER, *words], env=environment, capture_output=True, text=True, check=False)
    finally:
        service.terminate()
        service.wait()
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["status"] == "done"
    with psycopg.connect(database.url) as connection:
        assert connection.execute("SELECT count(*) FROM recognition.document_row").fetchone() == (6,)


def test_the_printed_environment_is_what_a_shell_reads(closed_folder, broker, database, nats):
    dev = Dev(closed_folder / "a stack's folder")
    dev.up(**broker.environment, **database.environment, NATS_URL=nats.url, RECEIPT_QUIET_SECONDS="7")
    script = f"{dev.run('env')}\nexec env -0"
    read = subprocess.run(["/bin/sh", "-c", script], env={}, capture_output=True, text=True, check=True).stdout
    seen = dict(each.split("=", 1) for each in read.split("\0") if each)
    assert seen.items() >= dev.env().items()
    assert seen["RECEIPT_QUIET_SECONDS"] == "7"
    assert seen["DATABASE_URL"] == database.url


@pytest.mark.parametrize("command", ["env", "status"])
def test_a_folder_without_a_stack_is_said_to_have_none(tmp_path, command):
    Dev(tmp_path / "none").run(command, expect=3)
    assert not (tmp_path / "none").exists()


def test_an_unknown_role_is_a_usage_error(tmp_path):
    Dev(tmp_path / "none").run("up", "--roles", "ocr,cook", expect=2)


def pids(shown: dict[str, dict[str, dict[str, object]]]) -> dict[str, object]:
    return {name: line["pid"] for kind in ("services", "roles") for name, line in shown[kind].items() if line["pid"]}


def environment_of(pid: object) -> dict[str, str]:
    text = Path(f"/proc/{pid}/environ").read_text()
    return dict(each.split("=", 1) for each in text.split("\0") if "=" in each)
