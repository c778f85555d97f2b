"""Failure recovery: After the cache marker but before result confirmation.

The retry reuses the checksum-matched cache and republishes results.
"""

import json

from contracts.receipts.work import reprocess
from ledger_tasks.messaging.topology import RESULTS
from tests.support.amqp import wait_until
from tests.support.deliveries import events_in, put, starts, submit

REQUEST = "840023b1-a078-4914-b074-81bd7129bb75"


def test_a_worker_killed_between_marker_and_confirmation_is_replaced_by_one_that_only_tells(
    broker, volumes, run_role, client
) -> None:
    environment = broker.environment | volumes.environment
    first = run_role("ocr", environment=environment)
    client.channel.queue_unbind(RESULTS.work, RESULTS.work, RESULTS.routing_key)  # nothing can be confirmed now
    read = put(volumes, "cafe-english.jpg")
    submit(client, reprocess(read.source_sha256, read.source_reference, REQUEST))
    wait_until(lambda: "not confirmed" in first.text(), "a result that is not confirmed")
    first.kill()
    marker = volumes.cache / ".requests" / read.source_sha256 / f"{REQUEST}.json"
    assert json.loads(marker.read_text())["confirmed_publication"] is None
    assert client.ready(RESULTS.work) == 0
    client.channel.queue_bind(RESULTS.work, RESULTS.work, RESULTS.routing_key)
    run_role("ocr", environment=environment)
    told = events_in(client, 2)
    assert [event["event_type"] for event in told] == ["ocr.run-completed.v1", "ocr.pass-completed.v1"]
    assert {event["payload"].get("request_id", REQUEST) for event in told} == {REQUEST}
    wait_until(lambda: json.loads(marker.read_text())["confirmed_publication"] is not None, "the marker to say so")
    assert [start["end"] for start in starts(volumes)] == ["ok"], "read once"
    assert client.ready("receipts.v1.dead") == 0
