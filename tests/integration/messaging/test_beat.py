"""The clock on a real broker: it sends, says that it lives, and notices that it cannot send."""

import time

import httpx

from ledger_tasks import health
from tests.support.amqp import PlainClient, wait_until
from tests.support.servers import Broker


def test_beat_sends_ticks_and_its_health_file_says_so(broker: Broker, run_role) -> None:
    beat = run_role("beat", environment=broker.environment | {"OUTBOX_POLL_SECONDS": "1", "NATS_ENABLED": "true"})
    client = PlainClient(broker.url)
    client.take("recognition.v1.ticks.publish")
    client.close()
    assert health.read(beat.health_file, at=time.time()).role == "beat"
    assert beat.stop() == 0


def test_a_tick_that_cannot_be_sent_is_seen_in_the_health_file(broker: Broker, run_role) -> None:
    beat = run_role("beat", environment=broker.environment | {"OUTBOX_POLL_SECONDS": "1", "NATS_ENABLED": "true"})
    for queue in ("publish", "map", "watch"):
        address = f"{broker.server.management_url}/api/queues/{broker.virtual_host}/recognition.v1.ticks.{queue}"
        httpx.delete(address, timeout=20).raise_for_status()
    told = "cannot send recognition.publish_outbox"
    wait_until(lambda: told in health.read(beat.health_file, at=time.time()).state, "a tick that is refused")
