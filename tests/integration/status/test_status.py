"""`ledger status` from outside: every file accounted for, queues, ages, alarms."""

import json
import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from tests.support.amqp import PlainClient, wait_until

LEDGER = Path(sysconfig.get_path("scripts")) / "ledger"
SAMPLES = Path(__file__).parents[2] / "data" / "receipts"


def ledger(environment: dict[str, str], *words: str) -> dict:
    done = subprocess.run(
        [LEDGER, *words, "--json"], env=dict(os.environ) | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.case("C080")
def test_every_file_is_accounted_for_before_and_after_the_work(broker, database, volumes, run_role) -> None:
    for name in ("cafe-english.jpg", "encrypted.pdf", "torn-off.jpg"):
        shutil.copy(SAMPLES / name, volumes.root)
    (volumes.root / "notes.txt").write_text("no receipt")
    shared = broker.environment | volumes.environment
    management = {"RABBITMQ_MANAGEMENT_URL": broker.server.management_url}
    environment = shared | database.environment | management | {"RECEIPT_QUIET_SECONDS": "0.1"}
    ledger(environment, "receipts", "publish")
    waiting = ledger(environment, "status")
    assert waiting["conservation"] == {
        "files": 4, "done": 0, "review": 0, "in_flight": 3, "dead": 0, "skipped": 1, "invalid": 0, "remainder": 0,
    }  # fmt: skip
    assert (waiting["unique_waiting"], waiting["queues"]["receipts.v1.work"]["ready"]) == (3, 3)
    assert waiting["oldest_ready_seconds"] > 0
    assert waiting["last_scan_seconds"] > 0
    run_role("ocr", environment=shared)
    run_role("collector", environment=broker.environment | database.environment)
    wait_until(lambda: ledger(environment, "status")["unique_waiting"] == 0, "all three to end", 90)
    ended = ledger(environment, "status")
    numbers = ended["conservation"]
    assert (numbers["in_flight"], numbers["dead"], numbers["remainder"]) == (0, 1, 0)
    assert numbers["done"] + numbers["review"] == 2
    assert ended["alarms"] == []
    assert ended["unroutable_total"] == 0
    assert {"oldest_unacked_seconds", "delivery_counts"} <= ended.keys()


def test_files_that_were_taken_away_are_no_part_of_the_account_any_more(broker, database, volumes, run_role) -> None:
    for name in ("2026/cafe-english.jpg", "encrypted.pdf", "rail-text-layer.pdf"):
        (volumes.root / name).parent.mkdir(exist_ok=True)
        shutil.copy(SAMPLES / Path(name).name, volumes.root / name)
    environment = broker.environment | volumes.environment | database.environment | {"RECEIPT_QUIET_SECONDS": "0.1"}
    run_role("ocr", environment=broker.environment | volumes.environment)
    run_role("collector", environment=broker.environment | database.environment)
    ledger(environment, "receipts", "publish")
    wait_until(lambda: ledger(environment, "status")["unique_waiting"] == 0, "all three to end", 90)
    ledger(environment, "receipts", "publish")
    (volumes.root / "encrypted.pdf").unlink()
    ledger(environment, "dead", "purge", "--all", "--yes")
    shutil.rmtree(volumes.root / "2026")
    ledger(environment, "receipts", "publish")
    numbers = ledger(environment, "status")["conservation"]
    assert (numbers["files"], numbers["done"], numbers["dead"], numbers["remainder"]) == (1, 1, 0, 0)


@pytest.mark.case("C083")
@pytest.mark.trap(9)
def test_with_no_worker_up_the_depth_of_every_queue_is_visible(broker, database, volumes) -> None:
    environment = broker.environment | database.environment | volumes.environment
    ledger(environment, "receipts", "publish")
    client = PlainClient(broker.url)
    client.publish("receipts.v1.dead", "receipt", b"x")
    wait_until(lambda: client.ready("receipts.v1.dead") == 1, "the letter")
    client.close()
    queues = ledger(environment, "status")["queues"]
    assert queues["receipts.v1.dead"] == {"ready": 1, "unacked": None, "consumers": 0}
    assert {"receipts.v1.work", "receipts.v1.retry", "ocr.results.v1.work", "ledger.v1.discovery"} <= queues.keys()
