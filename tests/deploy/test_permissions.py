"""What each broker user may do, asked of a real broker: everything that its role needs, and nothing else."""

import json
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import amqp
import httpx
import pytest

from contracts.receipts.work import encode_work, process
from deploy.credentials import Addresses, Secrets, make_secrets
from ledger_tasks.files.source import content_hash
from ledger_tasks.messaging.permissions import PERMISSIONS
from ledger_tasks.messaging.topology import topology
from tests.deploy.conftest import PASSWORDS
from tests.support.amqp import wait_until
from tests.support.node import Node, free_port
from tests.support.servers import Volumes

NAMES = [spec.name for spec in topology()]
KEYS = {spec.name: spec.routing_key for spec in topology()}
LEDGER = Path(sysconfig.get_path("scripts")) / "ledger"
SAMPLE = Path(__file__).parents[1] / "data" / "receipts" / "cafe-english.jpg"


@pytest.fixture
def as_user(shipped: Node) -> Iterator[Callable[[str], amqp.Connection]]:
    opened: list[amqp.Connection] = []

    def connect(user: str) -> amqp.Connection:
        password = PASSWORDS[user if user in {"scaler", "flower"} else f"broker-{user}"]
        opened.append(shipped.connect(user, password, confirm_publish=True))
        return opened[-1]

    yield connect
    for connection in opened:
        connection.close()


@pytest.fixture
def with_events(shipped: Node) -> Iterator[Secrets]:
    """The same node with the wider permissions, imported into the running broker as a rotation would be."""
    wide = make_secrets(PASSWORDS, Addresses(broker=shipped.address), celery_events=True)
    load(shipped, wide)
    yield wide
    load(shipped, make_secrets(PASSWORDS, Addresses()))
    shipped.ctl("delete_user", "flower")


def load(shipped: Node, made: Secrets) -> None:
    (shipped.outside / "changed.json").write_text(made["rabbitmq"]["definitions.json"])
    shipped.ctl("import_definitions", str(shipped.folder / "changed.json"))


def allowed(connection: amqp.Connection, attempt: Callable[[amqp.Channel], object]) -> bool:
    channel = connection.channel()
    try:
        attempt(channel)
    except amqp.AccessRefused:
        return False
    channel.close()
    return True


def put(exchange: str, key: str) -> Callable[[amqp.Channel], object]:
    # Nothing is bound to this key: a permitted publication goes nowhere, and is refused just the same if it is not.
    return lambda channel: channel.basic_publish(amqp.Message(b""), exchange=exchange, routing_key=f"no-{key}")


def get(queue: str) -> Callable[[amqp.Channel], object]:
    return lambda channel: channel.basic_cancel(channel.basic_consume(queue))


@pytest.mark.parametrize("user", PERMISSIONS)
def test_each_user_may_write_and_read_exactly_its_own(as_user, user: str) -> None:
    connection = as_user(user)
    writes, reads = PERMISSIONS[user]
    assert {name for name in NAMES if allowed(connection, put(name, KEYS[name]))} == writes
    assert {name for name in NAMES if allowed(connection, get(name))} == reads
    assert not allowed(connection, lambda channel: channel.basic_publish(amqp.Message(b""), routing_key=NAMES[0]))


@pytest.mark.parametrize("user", PERMISSIONS)
def test_nobody_may_declare_delete_purge_what_is_not_his_or_bind(as_user, user: str) -> None:
    connection = as_user(user)
    forbidden: dict[str, Callable[[amqp.Channel], object]] = {
        "declare a queue": lambda channel: channel.queue_declare("mine"),
        "declare an exchange": lambda channel: channel.exchange_declare("mine", "fanout"),
        "delete a queue": lambda channel: channel.queue_delete("receipts.v1.work"),
        "delete an exchange": lambda channel: channel.exchange_delete("receipts.v1.work"),
        "bind": lambda channel: channel.queue_bind("receipts.v1.retry", "receipts.v1.dead", "receipt"),
        "purge the retries": lambda channel: channel.queue_purge("receipts.v1.retry"),
        "send to no exchange": lambda channel: channel.basic_publish(amqp.Message(b""), routing_key="receipts.v1.dead"),
    }
    assert [what for what, attempt in forbidden.items() if allowed(connection, attempt)] == []


def test_the_scaler_can_count_ready_messages_without_a_single_permission(as_user) -> None:
    channel = as_user("scaler").channel()
    assert channel.queue_declare("receipts.v1.work", passive=True).message_count == 0


@pytest.mark.trap(6)
def test_the_ocr_worker_does_its_whole_job_with_the_narrowest_permissions(
    shipped: Node, secrets: Secrets, volumes: Volumes, run_role, as_user
) -> None:
    environment = volumes.environment | secrets["ocr-broker"] | {"LEDGER_CELERY_EVENTS": "false"}
    work_one_receipt(run_role, environment, volumes, as_user)
    listed = json.loads(shipped.ctl("list_queues", "-p", "ledger", "name", "--formatter", "json"))
    assert {queue["name"] for queue in listed} == set(NAMES), "a worker without events adds nothing"


def test_with_events_it_needs_celerys_own_names_and_still_no_more_of_ours(
    shipped: Node, with_events: Secrets, volumes: Volumes, run_role, as_user
) -> None:
    environment = volumes.environment | with_events["ocr-broker"] | {"LEDGER_CELERY_EVENTS": "true"}
    work_one_receipt(run_role, environment, volumes, as_user)
    connection = as_user("ocr")
    assert {name for name in NAMES if allowed(connection, put(name, KEYS[name]))} == PERMISSIONS["ocr"][0]
    assert {name for name in NAMES if allowed(connection, get(name))} == PERMISSIONS["ocr"][1]
    assert not allowed(connection, lambda channel: channel.queue_declare("collector-000000@host.celery.pidbox"))


@pytest.mark.trap(17)
@pytest.mark.case("C085")
def test_flower_hears_events_and_cannot_send_a_control_command(with_events: Secrets, as_user) -> None:
    connection = as_user("flower")
    assert allowed(
        connection, lambda channel: channel.exchange_declare("celeryev", "topic", durable=True, auto_delete=False)
    )
    assert not allowed(
        connection, lambda channel: channel.exchange_declare("celery.pidbox", "fanout", auto_delete=False)
    )
    assert not allowed(connection, lambda channel: channel.basic_publish(amqp.Message(b""), exchange="celery.pidbox"))
    assert [name for name in NAMES if allowed(connection, put(name, KEYS[name]))] == []
    assert [name for name in NAMES if allowed(connection, get(name))] == []


@pytest.mark.case("C085")
def test_flower_runs_with_its_own_user_sees_a_worker_and_lets_nobody_in_without_a_login(
    with_events: Secrets, volumes: Volumes, run_role
) -> None:
    port = free_port()
    flower = run_role("flower", "--port", str(port), environment=with_events["flower"], wait=False)
    run_role("ocr", environment=volumes.environment | with_events["ocr-broker"])
    page = httpx.Client(base_url=f"http://127.0.0.1:{port}", auth=("operator", PASSWORDS["flower-login"]), timeout=20)

    def seen() -> bool:
        assert flower.process.poll() is None, flower.text()
        with suppress(httpx.TransportError):
            return "ocr-" in page.get("/workers?json=1").text
        return False

    wait_until(seen, "the worker on Flower's page")
    for path in ("/workers", "/api/workers", "/metrics", "/broker"):
        assert httpx.get(f"http://127.0.0.1:{port}{path}", timeout=20).status_code == 401, path
    assert page.post("/api/task/revoke/some-id?terminate=true").status_code in {403, 405}
    assert page.post("/api/worker/shutdown/some").status_code in {403, 404, 405}


def test_a_worker_that_may_not_declare_says_what_is_missing_and_begins_when_it_is_there(
    shipped: Node, secrets: Secrets, volumes: Volumes, run_role
) -> None:
    shipped.ctl("add_vhost", "bare")
    shipped.ctl("set_permissions", "-p", "bare", "ocr", "^$", ".*", ".*")
    url = secrets["ocr-broker"]["RABBITMQ_URL"].removesuffix("/ledger") + "/bare"
    environment = volumes.environment | {"RABBITMQ_URL": url, "LEDGER_CELERY_EVENTS": "false"}
    worker = run_role("ocr", environment=environment, wait=False)
    wait_until(worker.health_file.exists, "the health file")
    told = json.loads(worker.health_file.read_text())["state"]
    assert "no exchange 'receipts.v1.work'" in told
    assert "may not declare it" in told
    bare = json.loads(secrets["rabbitmq"]["definitions.json"].replace('"vhost": "ledger"', '"vhost": "bare"'))
    kept = {kind: bare[kind] for kind in ("exchanges", "queues", "bindings")}
    (shipped.outside / "bare.json").write_text(json.dumps(kept))
    shipped.ctl("import_definitions", str(shipped.folder / "bare.json"))
    worker.wait_until_consuming()
    assert worker.stop() == 0
    shipped.ctl("delete_vhost", "bare")


@pytest.mark.case("C072")
def test_the_operators_doctor_names_queue_argument_and_both_values(shipped: Node, secrets: Secrets) -> None:
    """No role may declare, so none sees arguments; the operator's user may read the management API."""
    url = secrets["operator-broker"]["RABBITMQ_URL"]
    operator = {
        "RABBITMQ_URL": url,
        "RABBITMQ_MANAGEMENT_URL": f"http://operator:{PASSWORDS['broker-operator']}@127.0.0.1:{shipped.ports['management']}",
    }
    assert {each["verdict"] for each in of_doctor("queue ", operator)} == {"ok"}
    assert {each["verdict"] for each in of_doctor("queue ", {"RABBITMQ_URL": url})} == {"skipped"}

    shipped.ctl("add_vhost", "built-otherwise")
    shipped.ctl("set_permissions", "-p", "built-otherwise", "operator", "^$", ".*", ".*")
    other = json.loads(
        secrets["rabbitmq"]["definitions.json"].replace('"vhost": "ledger"', '"vhost": "built-otherwise"')
    )
    for queue in other["queues"]:
        if queue["name"] == "receipts.v1.retry":
            queue["arguments"]["x-message-ttl"] = 5000
    kept = {"exchanges": other["exchanges"], "queues": other["queues"]}
    kept["bindings"] = [each for each in other["bindings"] if each["source"] != "ocr.results.v1.work"]
    (shipped.outside / "other.json").write_text(json.dumps(kept))
    shipped.ctl("import_definitions", str(shipped.folder / "other.json"))
    operator["RABBITMQ_URL"] = url.removesuffix("/ledger") + "/built-otherwise"
    wrong = {each["check"]: each["detail"] for each in of_doctor("queue ", operator) if each["verdict"] == "wrong"}
    assert wrong == {
        "queue receipts.v1.retry": "x-message-ttl: wanted 60000 (int), found 5000 (int)",
        "queue ocr.results.v1.work": "exchange ocr.results.v1.work is not bound to it with ocr-result",
    }
    shipped.ctl("delete_vhost", "built-otherwise")


@pytest.mark.parametrize("user", ["publisher", "ocr", "collector", "recognition", "beat", "operator"])
def test_each_users_doctor_finds_its_permissions_right_and_names_what_differs(
    shipped: Node, secrets: Secrets, user: str
) -> None:
    environment = {"RABBITMQ_URL": secrets[f"{user}-broker"]["RABBITMQ_URL"]}
    (right,) = of_doctor("broker permissions", environment)
    assert right["verdict"] == "ok", right
    document = json.loads(secrets["rabbitmq"]["definitions.json"])
    permission = next(each for each in document["permissions"] if each["user"] == user)
    kept = [permission[kind] for kind in ("configure", "write", "read")]
    shipped.ctl("set_permissions", "-p", "ledger", user, "^$", r"^receipts\.v1\.retry$", kept[2])
    (wrong,) = of_doctor("broker permissions", environment)
    shipped.ctl("set_permissions", "-p", "ledger", user, *kept)
    assert wrong["verdict"] == "wrong"
    needed = PERMISSIONS[user].writes
    assert all(f"{user} may not write {name}" in wrong["detail"] for name in needed - {"receipts.v1.retry"})
    assert (f"{user} may write receipts.v1.retry" in wrong["detail"]) is ("receipts.v1.retry" not in needed)


def of_doctor(begin: str, environment: dict[str, str]) -> list[dict[str, str]]:
    done = subprocess.run(
        [LEDGER, "doctor", "--json"],
        env=environment | {"PATH": os.defpath},
        capture_output=True,
        text=True,
        check=False,
    )
    return [each for each in json.loads(done.stdout)["findings"] if each["check"].startswith(begin)]


def work_one_receipt(run_role, environment: dict[str, str], volumes: Volumes, as_user) -> None:
    """Publish as the publisher, run the worker, and read its two events as the collector."""
    worker = run_role("ocr", environment=environment)
    shutil.copy(SAMPLE, volumes.root / SAMPLE.name)
    with SAMPLE.open("rb", buffering=0) as file:
        body = encode_work(process(content_hash(file), SAMPLE.name))
    as_user("publisher").channel().basic_publish(
        amqp.Message(body, delivery_mode=2), exchange="receipts.v1.work", routing_key="receipt", mandatory=True
    )
    channel = as_user("collector").channel()
    arrived: list[str] = []

    def take() -> bool:
        while (message := channel.basic_get("ocr.results.v1.work", no_ack=True)) is not None:
            arrived.append(json.loads(message.body)["event_type"])
        return len(arrived) == 2

    wait_until(take, "two result events")
    assert arrived == ["ocr.run-completed.v1", "ocr.pass-completed.v1"]
    assert worker.stop() == 0
