"""Failure recovery: Worker shutdown.

The worker stops accepting work, drains its current delivery, then closes cleanly.
"""

import hashlib

import pytest
from PIL import Image

from contracts.receipts.work import Work, process
from ledger_tasks.messaging.topology import declare, receipts_topology
from tests.support.amqp import wait_until
from tests.support.deliveries import SAMPLES, put, starts, submit
from tests.support.servers import Volumes


@pytest.mark.case("C070")
@pytest.mark.trap(13)
def test_sigterm_finishes_the_current_receipt_and_acknowledges_it(broker, volumes, run_role, client) -> None:
    worker = run_role("ocr", environment=broker.environment | volumes.environment)
    submit(client, put(volumes, "baumarkt-scan.pdf"))
    submit(client, put(volumes, "cafe-english.jpg"))
    wait_until(lambda: bool(starts(volumes)), "the start of OCR")
    assert worker.stop() == 0
    assert client.ready("ocr.results.v1.work") == 2
    assert client.ready("receipts.v1.work") == 1, "the next one was not accepted any more"
    assert [start["end"] for start in starts(volumes)] == ["ok"]


def test_sigterm_hands_a_held_delivery_back_at_once(broker, volumes, run_role, client) -> None:
    (volumes.root / ".ledger-volume").unlink()
    worker = run_role("ocr", environment=broker.environment | volumes.environment)
    submit(client, put(volumes, "cafe-english.jpg"))
    wait_until(lambda: "held" in worker.text(), "the delivery to be held")
    assert worker.stop() == 0
    (copy,) = client.take("receipts.v1.work")
    assert copy.headers["x-ledger-held"] == 1, "it came back through the retry queue, not by a requeue"


def test_workers_that_are_replaced_again_and_again_use_up_no_attempt(broker, volumes, run_role, client) -> None:
    environment = broker.environment | volumes.environment
    declare(client.connection, receipts_topology(1))
    work = submit(client, put_long(volumes))
    folder = volumes.cache / ".attempts" / work.source_sha256
    for count in range(1, 5):
        worker = run_role("ocr", environment=environment)
        wait_until(lambda count=count: len(starts(volumes)) == count, f"start {count}")
        worker.process.terminate()
        wait_until(lambda count=count: len([*folder.glob("*.stopping")]) == count, "the start to be marked")
        worker.kill()  # the grace period was too short
    run_role("ocr", environment=environment)
    assert client.take("ocr.results.v1.work", 2)
    assert client.ready("receipts.v1.dead") == 0


def put_long(volumes: Volumes) -> Work:
    """Put a document that is still being read when the signal comes, and return its work."""
    with Image.open(SAMPLES / "cafe-english.jpg") as page:
        page.save(volumes.root / "long.tif", save_all=True, append_images=[page.copy() for _ in range(7)])
    return process(hashlib.sha256((volumes.root / "long.tif").read_bytes()).hexdigest(), "long.tif")
