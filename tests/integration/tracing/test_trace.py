"""One receipt is one trace: published by a scan, read by a forked child, committed by the collector."""

import json
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.amqp import wait_until
from tests.support.traces import collecting

SAMPLE = Path(__file__).parents[2] / "data" / "receipts" / "rail-text-layer.pdf"


@pytest.fixture
def collected() -> Iterator[tuple[str, list]]:
    """An OTLP receiver: its address, and the spans that it was given."""
    with collecting() as found:
        yield found


def test_a_receipt_is_followed_from_scan_to_commit_by_one_trace(broker, database, volumes, run_role, collected) -> None:
    address, spans = collected
    shared = broker.environment | volumes.environment | {"OTEL_EXPORTER_OTLP_ENDPOINT": address}
    reader = run_role("ocr", environment=shared)
    run_role("collector", environment=shared | database.environment_of("ledger_collector"))
    shutil.copy(SAMPLE, volumes.root / "rail.pdf")

    environment = shared | database.environment_of("ledger_publisher") | {"PATH": "/usr/bin:/bin"}
    ledger = Path(sysconfig.get_path("scripts")) / "ledger"
    subprocess.run([ledger, "receipts", "publish"], env=environment, check=True, timeout=60)
    names = {"receipts.publish", "receipts.process", "receipts.collect"}
    wait_until(lambda: {span.name for span in spans} >= names, "a span of each stage")

    (root,) = [span for span in spans if span.name == "receipts.publish"]
    assert {span.trace_id for span in spans} == {root.trace_id}
    assert {span.parent_span_id for span in spans if span is not root} == {root.span_id}
    assert root.parent_span_id == b""
    told = {each.key: each.value.string_value for span in spans for each in span.attributes}
    assert told["ledger.receipt"] in told["ledger.message_id"]
    (settled,) = [json.loads(line) for line in reader.text().splitlines() if '"settled"' in line]
    assert (settled["receipt"], settled["outcome"]) == (told["ledger.receipt"], "Done"), "every line names its receipt"
