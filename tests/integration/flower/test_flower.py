"""Flower on a real broker: behind a login, read-only, with all our queues, and small however many events come."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator

import httpx
import pytest

from ledger_tasks.devstack.ports import free_port
from ledger_tasks.messaging.publish import Publisher
from ledger_tasks.messaging.topology import EPOCH, declare, topology
from tests.support.amqp import PlainClient, wait_until

TOKENS = "anna:operate:word-of-anna,bob:read:word-of-bob"
READER, OPERATOR = ("bob", "word-of-bob"), ("anna", "word-of-anna")


@pytest.fixture
def flower(broker, run_role) -> Iterator[Callable[..., httpx.Client]]:
    """Start `ledger flower` and return a client that is logged in as bob."""
    clients = []

    def run(*words: str, **more: str) -> httpx.Client:
        port = free_port(set())
        environment = broker.environment | {"LEDGER_API_TOKENS": TOKENS} | more
        run_role("flower", "--port", str(port), *words, environment=environment, wait=False)
        client = httpx.Client(base_url=f"http://127.0.0.1:{port}", auth=READER, timeout=20)
        clients.append(client)
        wait_until(lambda: _answers(client), "flower")
        return client

    yield run
    for client in clients:
        client.close()


def _answers(client: httpx.Client) -> bool:
    try:
        return client.get("/healthcheck").status_code == 200
    except httpx.TransportError:
        return False


@pytest.mark.case("C083")
def test_every_queue_of_ours_is_listed_with_its_depth_when_no_worker_is_up(broker, flower) -> None:
    with Publisher(broker.url) as publisher:
        declare(publisher.connection(), topology(1))
    client = PlainClient(broker.url)
    for name, key in (("receipts.v1.work", "receipt"), ("receipts.v1.dead", "receipt")):
        client.publish(name, key, b"{}")
    wait_until(lambda: client.ready("receipts.v1.dead") == 1, "the letter")
    client.close()

    page = flower()
    found = {each["name"]: each["messages"] for each in page.get("/api/queues/length").json()["active_queues"]}
    shown = page.get("/broker").text

    assert found.keys() == {spec.name for spec in topology() if spec.name != EPOCH}
    assert (found["receipts.v1.work"], found["receipts.v1.dead"], found["receipts.v1.retry"]) == (1, 1, 0)
    assert all(name in shown for name in found)


@pytest.mark.case("C085")
@pytest.mark.trap(17)
def test_nobody_looks_or_acts_without_a_token_and_readers_and_operators_only_look(flower) -> None:
    acts = ("task/apply/receipts.process", "task/send-task/receipts.process", "task/revoke/1", "worker/shutdown/ocr")
    page = flower(FLOWER_UNAUTHENTICATED_API="true")
    for path in ("/", "/tasks", "/broker", "/metrics", "/api/tasks", "/api/workers", "/api/queues/length"):
        assert page.get(path, auth=("bob", "guess")).status_code == 401, path
        assert httpx.get(f"{page.base_url}{path}").status_code == 401, path
    for path in acts:
        assert httpx.post(f"{page.base_url}/api/{path}", json={}).status_code in {401, 403}, path
        for who in (READER, OPERATOR):
            assert page.post(f"/api/{path}", json={}, auth=who).status_code in {401, 403}, path
    assert page.get("/tasks").status_code == 200


def test_with_operate_only_tokens_that_may_operate_come_in(flower) -> None:
    page = flower("--operate")
    assert page.get("/tasks").status_code == 401
    assert page.get("/tasks", auth=OPERATOR).status_code == 200


def test_a_task_is_shown_with_its_message_id_and_contract(broker, volumes, run_role, flower) -> None:
    page = flower()
    run_role("ocr", environment=broker.environment | volumes.environment)
    client = PlainClient(broker.url)
    client.publish("receipts.v1.work", "receipt", b"broken", message_id="receipt.v1:abc", type="receipt.process.v1")
    client.take("receipts.v1.dead")
    client.close()
    wait_until(lambda: any(page.get("/api/tasks").json().values()), "the task in Flower")
    (task,) = page.get("/api/tasks").json().values()
    assert task["name"] == "receipts.process"
    assert task["args"] == "(receipt.v1:abc, receipt.process.v1)"


def test_flower_without_tokens_does_not_start(broker, run_role) -> None:
    role = run_role("flower", environment=broker.environment, wait=False)
    assert role.process.wait(30) == 9
    assert "LEDGER_API_TOKENS" in role.text()


FLOOD = """
import os, resource, time
from ledger_tasks.app import monitor_app
from ledger_tasks.flower import MAX_TASKS, make
from ledger_tasks.settings import FlowerSettings, load

settings = load(FlowerSettings)
state = make(monitor_app(settings, operate=False), settings, host="127.0.0.1", port=0, operate=False).events.state
for number in range(4 * MAX_TASKS):
    state.event({
        "type": "task-received", "uuid": str(number), "name": "receipts.process", "hostname": f"ocr-{number % 500}@pod",
        "args": "(receipt.v1:" + "a" * 64 + ", receipt.process.v1)", "kwargs": "{}", "timestamp": time.time(),
        "local_received": time.time(), "clock": number, "pid": 1, "utcoffset": 0, "retries": 0, "eta": None,
        "expires": None, "root_id": None, "parent_id": None,
    })
    if number % MAX_TASKS == MAX_TASKS - 1:
        print(len(state.tasks), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, flush=True)
os._exit(0)  # Flower's threads wait for a broker
"""

CONTAINER_MEGABYTES = 256
GROWTH_MEGABYTES = 12
"""What memory may grow once every remembered call was replaced; 200 000 events, measured once, ended at 125 MB."""


@pytest.mark.case("C081")
def test_flower_stays_within_a_small_container_however_many_events_come() -> None:
    environment = os.environ | {"RABBITMQ_URL": "amqp://127.0.0.1:1", "LEDGER_API_TOKENS": TOKENS}
    told = subprocess.run(
        [sys.executable, "-c", FLOOD], env=environment, capture_output=True, text=True, check=False, timeout=150
    )
    assert told.returncode == 0, told.stderr
    looks = [tuple(map(int, line.split())) for line in told.stdout.splitlines()]
    assert [tasks for tasks, _ in looks] == [10_000] * 4
    full, last = looks[1][1], looks[3][1]
    assert last < CONTAINER_MEGABYTES
    assert last - full < GROWTH_MEGABYTES
