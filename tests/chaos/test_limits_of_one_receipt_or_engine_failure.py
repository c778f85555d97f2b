"""Who decides what: Time or memory limit of one receipt, engine failure.

Transient: retry queue, attempt + 1; at the third counted start: dead. A crash counts as a start.
"""

import os
import signal

import pytest

from tests.support.amqp import wait_until
from tests.support.deliveries import events_in, put, starts, submit


@pytest.mark.case("C027")
@pytest.mark.case("C057")
@pytest.mark.case("C077")
@pytest.mark.trap(7)
@pytest.mark.trap(19)
def test_three_timeouts_go_through_the_retry_queue_and_end_in_dead(broker, volumes, run_role, client) -> None:
    environment = broker.environment | volumes.environment | {"OCR_TIMEOUT_SECONDS": "0.02"}
    first = run_role("ocr", environment=environment)
    submit(client, put(volumes, "baumarkt-scan.pdf"))
    wait_until(lambda: bool(starts(volumes)), "the first start")
    first.kill()
    run_role("ocr", environment=environment)
    (dead,) = client.take("receipts.v1.dead")
    assert dead.headers["error_code"] in {"TIMEOUT", "WORKER_LOST"}
    assert not {"x-death", "x-first-death-queue"} & dead.headers.keys()
    assert len(starts(volumes)) == 3, "three starts, also when the worker was replaced between two of them"
    (event,) = events_in(client, 1)
    assert event["payload"]["failure"]["attempts"] == 3


@pytest.mark.case("C026")
@pytest.mark.case("C069")
def test_a_file_that_kills_its_child_at_every_start_is_dead_after_exactly_three_while_others_finish(
    broker, volumes, run_role, client
) -> None:
    worker = run_role("ocr", environment=broker.environment | volumes.environment | {"OCR_WORKER_CONCURRENCY": "2"})
    deadly, good = put(volumes, "baumarkt-scan.pdf"), put(volumes, "cafe-english.jpg")
    submit(client, deadly)
    submit(client, good)

    def lost() -> list[dict[str, str]]:
        return [start for start in starts(volumes, deadly.source_sha256) if start["end"] == "open"]

    for count in (1, 2, 3):
        wait_until(lambda count=count: len(lost()) == count, f"start {count}")
        os.kill(int(lost()[-1]["worker"].split(":")[1]), signal.SIGKILL)
    (dead,) = client.take("receipts.v1.dead")
    assert dead.headers["error_code"] == "WORKER_LOST"
    assert len(starts(volumes, deadly.source_sha256)) == 3
    told = events_in(client, 3)
    assert {event["source_sha256"] for event in told if "failure" not in event["payload"]} == {good.source_sha256}
    assert [event["payload"]["failure"]["attempts"] for event in told if "failure" in event["payload"]] == [3]
    assert worker.process.poll() is None
