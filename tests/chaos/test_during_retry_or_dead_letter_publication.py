"""Failure recovery: During retry or dead-letter publication.

The original delivery is requeued unless replacement publication is confirmed.
"""

import time

import pytest

from ledger_tasks.messaging.message import Message
from ledger_tasks.messaging.publish import Publisher
from ledger_tasks.messaging.topology import RECEIPTS
from tests.support.amqp import wait_until
from tests.support.deliveries import events_in, put, starts, submit

CASES = [
    pytest.param("encrypted.pdf", {}, "PDF_ENCRYPTED", id="dead letter"),
    pytest.param("baumarkt-scan.pdf", {"OCR_TIMEOUT_SECONDS": "0.02"}, "TIMEOUT", id="retry"),
]


@pytest.mark.parametrize(("sample", "settings", "code"), CASES)
def test_a_worker_that_dies_while_it_cannot_publish_the_successor_loses_nothing(
    broker, volumes, run_role, client, sample, settings, code
) -> None:
    environment = broker.environment | volumes.environment | settings
    first = run_role("ocr", environment=environment)
    for queue in (RECEIPTS.retry, RECEIPTS.dead):
        client.channel.queue_unbind(queue, queue, RECEIPTS.routing_key)
    submit(client, put(volumes, sample))
    wait_until(lambda: "not confirmed" in first.text(), "a successor that is not confirmed")
    assert client.ready(RECEIPTS.dead) == client.ready(RECEIPTS.retry) == 0
    first.kill()
    for queue in (RECEIPTS.retry, RECEIPTS.dead):
        client.channel.queue_bind(queue, queue, RECEIPTS.routing_key)
    run_role("ocr", environment=environment)
    (letter,) = client.take(RECEIPTS.dead)
    assert letter.headers["error_code"] == code
    assert len(starts(volumes)) <= 3
    assert {event["event_type"] for event in events_in(client, 1)} == {"ocr.run-failed.v1"}
    wait_until(lambda: client.ready(RECEIPTS.work) == client.ready(RECEIPTS.retry) == 0, "nothing left")
    assert client.ready(RECEIPTS.dead) == 0, "one dead letter"


def test_a_requeue_never_spins_while_no_successor_can_be_published(broker, volumes, run_role, client) -> None:
    worker = run_role("ocr", environment=broker.environment | volumes.environment | {"HOLD_SECONDS": "2"})
    for queue in (RECEIPTS.retry, RECEIPTS.dead):
        client.channel.queue_unbind(queue, queue, RECEIPTS.routing_key)
    begun = time.monotonic()
    submit(client, put(volumes, "encrypted.pdf"))
    wait_until(lambda: len(starts(volumes)) == 3, "three deliveries")
    assert time.monotonic() - begun > 4, "each was kept for two seconds"
    for queue in (RECEIPTS.retry, RECEIPTS.dead):
        client.channel.queue_bind(queue, queue, RECEIPTS.routing_key)
    (letter,) = client.take(RECEIPTS.dead)
    assert letter.headers["error_code"] == "PDF_ENCRYPTED"
    assert worker.process.poll() is None


def test_a_full_dead_queue_hands_broken_receipts_back_and_good_ones_overtake(broker, volumes, run_role, client) -> None:
    worker = run_role("ocr", environment=broker.environment | volumes.environment | {"HOLD_SECONDS": "3"})
    broker.limit(RECEIPTS.dead, 1)
    letters = [Message(RECEIPTS.dead, RECEIPTS.routing_key, b"{}", f"letter:{number}") for number in range(100)]
    with Publisher(broker.url) as publisher:
        wait_until(lambda: bool(publisher.attempt(letters).refused), "the dead queue to refuse")
    full = client.ready(RECEIPTS.dead)
    broken = submit(client, put(volumes, "encrypted.pdf"))
    submit(client, put(volumes, "cafe-english.jpg"))
    wait_until(lambda: '"outcome": "Done"' in worker.text(), "the good one")
    assert client.ready(RECEIPTS.dead) == full
    broker.unlimit(RECEIPTS.dead)
    wait_until(lambda: client.ready(RECEIPTS.dead) > full, "the letter")
    *_, letter = client.take(RECEIPTS.dead, full + 1)
    assert letter.headers["error_code"] == "PDF_ENCRYPTED"
    assert len(starts(volumes, broken.source_sha256)) <= 3
    assert "requeue" not in worker.text(), "a copy went through the retry queue"
