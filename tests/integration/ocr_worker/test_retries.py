"""Attempts through the real retry queue, duplicates on two workers, and a broker that restarts under a worker."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from contracts.receipts.work import encode_work, process
from ledger_tasks.devstack.stack import Stack
from ledger_tasks.messaging.topology import declare, receipts_topology
from tests.support import faults
from tests.support.amqp import PlainClient, wait_until
from tests.support.servers import Broker, Volumes, start

SAMPLES = Path(__file__).parents[2] / "data" / "receipts"


@pytest.fixture
def client(broker: Broker):
    made = PlainClient(broker.url)
    yield made
    made.close()


def put(volumes: Volumes, name: str) -> bytes:
    shutil.copy(SAMPLES / name, volumes.root / name)
    sha256 = hashlib.sha256((volumes.root / name).read_bytes()).hexdigest()
    return encode_work(process(sha256, name))


@pytest.mark.case("C027")
@pytest.mark.case("C057")
@pytest.mark.case("C077")
@pytest.mark.trap(7)
@pytest.mark.trap(19)
def test_three_timeouts_go_through_the_retry_queue_and_end_in_dead(broker, volumes, run_role, client) -> None:
    environment = broker.environment | volumes.environment | {"OCR_TIMEOUT_SECONDS": "0.02"}
    first = run_role("ocr", environment=environment)
    client.publish("receipts.v1.work", "receipt", put(volumes, "baumarkt-scan.pdf"))
    budgets = volumes.cache / ".attempts"
    wait_until(lambda: any(budgets.glob("*/*.json")), "the first start")
    first.kill()
    run_role("ocr", environment=environment)
    (dead,) = client.take("receipts.v1.dead")
    assert dead.headers["error_code"] in {"TIMEOUT", "WORKER_LOST"}
    assert not {"x-death", "x-first-death-queue"} & dead.headers.keys()
    (budget,) = [json.loads(path.read_text()) for path in budgets.glob("*/*.json")]
    assert len(budget["starts"]) == 3, "three starts, also when the worker was replaced between two of them"
    event = json.loads(client.take("ocr.results.v1.work")[0].body)
    assert event["payload"]["failure"]["attempts"] == 3


@pytest.mark.case("C003")
@pytest.mark.case("C017")
def test_three_copies_on_two_workers_are_one_ocr_run_and_three_acknowledgements(
    broker, volumes, run_role, client
) -> None:
    declare(client.connection, receipts_topology(1))
    body = put(volumes, "cafe-english.jpg")
    for _ in range(3):
        client.publish("receipts.v1.work", "receipt", body)
    for _ in range(2):
        run_role("ocr", environment=broker.environment | volumes.environment)
    events = [message.properties["message_id"] for message in client.take("ocr.results.v1.work", 6)]
    assert len(set(events)) == 2, "the run and its pass, told three times"
    wait_until(lambda: client.ready("receipts.v1.work") == 0, "all three to be acknowledged")
    starts = [json.loads(path.read_text())["starts"] for path in (volumes.cache / ".attempts").glob("*/*.json")]
    assert sum(len(each) for each in starts) == 1


@pytest.mark.case("C007")
def test_after_an_encrypted_file_the_next_one_is_read_and_the_worker_is_well(broker, volumes, run_role, client) -> None:
    worker = run_role("ocr", environment=broker.environment | volumes.environment)
    for name in ("encrypted.pdf", "cafe-english.jpg"):
        client.publish("receipts.v1.work", "receipt", put(volumes, name))
    kinds = [json.loads(message.body)["event_type"] for message in client.take("ocr.results.v1.work", 3)]
    assert kinds == ["ocr.run-failed.v1", "ocr.run-completed.v1", "ocr.pass-completed.v1"]
    worker.wait_until_consuming()


@pytest.mark.case("C066")
@pytest.mark.case("C068")
@pytest.mark.trap(16)
def test_a_broker_that_restarts_under_a_worker_costs_no_receipt(own_stack: Stack, volumes, run_role) -> None:
    start(own_stack, "rabbitmq")
    url = own_stack.rabbitmq.url
    worker = run_role("ocr", environment={"RABBITMQ_URL": url, "RECEIPT_RETRY_SECONDS": "1"} | volumes.environment)
    client = PlainClient(url)
    client.publish("receipts.v1.work", "receipt", put(volumes, "baumarkt-scan.pdf"), delivery_mode=2)
    wait_until(lambda: any((volumes.cache / ".attempts").glob("*/*.json")), "the start of OCR")
    for _ in range(2):
        faults.kill(own_stack, "rabbitmq")
        own_stack.start("rabbitmq")
    client = PlainClient(url)
    (event,) = client.take("ocr.results.v1.work")
    assert json.loads(event.body)["event_type"] == "ocr.run-completed.v1"
    client.publish("receipts.v1.work", "receipt", put(volumes, "cafe-english.jpg"), delivery_mode=2)
    wait_until(lambda: client.ready("ocr.results.v1.work") >= 2, "a receipt after the restarts")
    assert worker.process.poll() is None
    client.close()
