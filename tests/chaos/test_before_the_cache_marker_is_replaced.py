"""Failure recovery: Before the cache marker is replaced.

RabbitMQ redelivers; the replacement worker rebuilds under the source lock.
"""

import pytest

from contracts.receipts.work import reprocess
from tests.support.amqp import wait_until
from tests.support.deliveries import events_in, put, starts, submit

REQUEST = "840023b1-a078-4914-b074-81bd7129bb75"


@pytest.mark.case("C036")
@pytest.mark.parametrize("refresh", [False, True], ids=["v1", "v2"])
def test_a_kill_in_the_middle_of_a_receipt_lets_another_finish_it_once(
    broker, volumes, run_role, client, refresh
) -> None:
    environment = broker.environment | volumes.environment
    first = run_role("ocr", environment=environment)
    work = put(volumes, "baumarkt-scan.pdf")
    if refresh:
        work = reprocess(work.source_sha256, work.source_reference, REQUEST)
    submit(client, work)
    wait_until(lambda: bool(starts(volumes)), "the start of OCR")
    first.kill()
    marker = volumes.cache / ".requests" / work.source_sha256 / f"{REQUEST}.json"
    assert not marker.exists()
    assert not (volumes.cache / f"{work.source_reference}.json").exists()
    run_role("ocr", environment=environment)
    events = [event["event_type"] for event in events_in(client, 2)]
    assert events.count("ocr.run-completed.v1") == 1
    assert [start["end"] for start in starts(volumes)] == ["open", "ok"]
    assert marker.exists() == refresh
    assert client.ready("receipts.v1.dead") == 0
