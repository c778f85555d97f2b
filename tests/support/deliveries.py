"""Deliveries to a real OCR worker: a sample goes below the root and into the queue; what its starts left comes out."""

import hashlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contracts.receipts.work import Work, encode_work, process
from tests.support.amqp import PlainClient, wait_until
from tests.support.servers import Broker, Volumes

SAMPLES = Path(__file__).parents[1] / "data" / "receipts"


@pytest.fixture
def client(broker: Broker) -> Iterator[PlainClient]:
    made = PlainClient(broker.url)
    yield made
    made.close()


def put(volumes: Volumes, name: str) -> Work:
    """Copy a sample below the root and return its v1 work."""
    shutil.copy(SAMPLES / name, volumes.root / name)
    return process(hashlib.sha256((volumes.root / name).read_bytes()).hexdigest(), name)


def submit(client: PlainClient, work: Work, **properties: Any) -> Work:
    """Publish a work message as any other program would, persistent so that a broker may be killed."""
    client.publish("receipts.v1.work", "receipt", encode_work(work), delivery_mode=2, **properties)
    return work


def starts(volumes: Volumes, sha256: str | None = None) -> list[dict[str, Any]]:
    """Return every start of OCR that the volume remembers, of one source or of all."""
    budgets = (volumes.cache / ".attempts").glob(f"{sha256 or '*'}/*.json")
    return [start for path in budgets for start in json.loads(path.read_text())["starts"]]


def body_of(message: Any) -> bytes:
    return message.body if isinstance(message.body, bytes) else message.body.encode()


def events_in(client: PlainClient, count: int) -> list[dict[str, Any]]:
    """Take result events from their queue."""
    return [json.loads(body_of(message)) for message in client.take("ocr.results.v1.work", count)]


def different_events(client: PlainClient, count: int) -> list[dict[str, Any]]:
    """Take result events until so many different ones were seen: what was in doubt may come twice."""
    found: dict[str, dict[str, Any]] = {}

    def take() -> bool:
        while (message := client.channel.basic_get("ocr.results.v1.work", no_ack=True)) is not None:
            found[message.properties["message_id"]] = json.loads(body_of(message))
        return len(found) >= count

    wait_until(take, f"{count} different events")
    return list(found.values())
