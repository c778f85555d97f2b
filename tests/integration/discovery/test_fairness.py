"""A new receipt is read soon, also behind a large batch."""

import json

import pytest

from ledger_tasks.messaging.topology import RECEIPTS
from tests.chaos.slips import make_slips
from tests.support.amqp import PlainClient, wait_until
from tests.support.deliveries import SAMPLES, body_of

BATCH = 1000
LIMIT_SECONDS = 60


@pytest.mark.case("C041")
def test_a_new_receipt_overtakes_a_cache_rebuild_of_a_thousand_which_then_goes_on(
    inbox, broker, volumes, run_role
) -> None:
    make_slips(volumes.root, BATCH)
    assert inbox.run("ocr-cache", "rebuild").json["confirmed"] == BATCH
    away = (volumes.root / "chaos").rename(volumes.root / ".chaos")  # the scan finds the new receipt alone
    inbox.put("new.jpg", (SAMPLES / "cafe-english.jpg").read_bytes())
    assert inbox.publish()["published"] == 1
    away.rename(volumes.root / "chaos")
    run_role("ocr", environment=broker.environment | volumes.environment)
    client = PlainClient(broker.url)
    read: list[str] = []

    def is_read() -> bool:
        while (message := client.channel.basic_get("ocr.results.v1.work", no_ack=True)) is not None:
            event = json.loads(body_of(message))
            if event["event_type"] == "ocr.run-completed.v1":
                read.append(event["source_reference"])
        return "new.jpg" in read

    wait_until(is_read, "the new receipt", LIMIT_SECONDS)
    assert len(read) < BATCH / 10, "it did not wait for the batch"
    wait_until(lambda: is_read() and len(read) > BATCH / 10, "the batch to go on")
    assert client.ready(RECEIPTS.dead) == 0
    client.close()
