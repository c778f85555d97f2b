"""A worker tells Prometheus what became of its deliveries, whichever of its processes had them."""

import urllib.request

from prometheus_client.parser import text_string_to_metric_families

from ledger_tasks.devstack.ports import free_port
from ledger_tasks.metrics import NAMES
from tests.support.amqp import PlainClient, wait_until


def scrape(port: int) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
        families = list(text_string_to_metric_families(answer.read().decode()))
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in families
        for sample in family.samples
    }


def test_a_delivery_that_a_forked_child_buried_is_counted_with_its_code(broker, volumes, run_role) -> None:
    port = free_port(set())
    environment = broker.environment | volumes.environment | {"LEDGER_METRICS_PORT": str(port)}
    run_role("ocr", environment=environment)
    client = PlainClient(broker.url)
    client.publish("receipts.v1.work", "receipt", b"no contract")
    client.take("receipts.v1.dead")
    client.close()
    dead = (("code", "CONTRACT_INVALID"), ("family", "receipts.v1.work"), ("outcome", "Dead"))

    wait_until(lambda: scrape(port).get(("ledger_deliveries_total", dead)) == 1, "the count of the dead letter")

    found = scrape(port)
    assert found["ledger_publications_total", (("fate", "confirmed"),)] >= 1
    assert found["ledger_delivery_seconds_count", (("family", "receipts.v1.work"),)] == 1
    assert {name for name, _ in found} <= NAMES
