"""Strangers' messages meet a real worker on a real broker: all end in dead, byte-identical, and the worker lives."""

import hashlib
from collections import Counter
from pathlib import Path

import pytest

from contracts.receipts.work import encode_work, process
from tests.support import hostile
from tests.support.amqp import PlainClient

SAMPLE = Path(__file__).parents[2] / "data" / "receipts" / "cafe-english.jpg"


def raw(body: bytes | str) -> bytes:
    return body if isinstance(body, bytes) else body.encode()


@pytest.mark.trap(12)
def test_every_hostile_message_is_dead_with_a_right_code_and_the_next_receipt_is_read(
    broker, volumes, run_role
) -> None:
    worker = run_role("ocr", environment=broker.environment | volumes.environment)
    client = PlainClient(broker.url)
    messages = list(hostile.messages())
    for message in messages:
        properties = {} if message.content_type is None else {"content_type": message.content_type}
        client.publish("receipts.v1.work", "receipt", message.body, application_headers=message.headers, **properties)
    dead = client.take("receipts.v1.dead", len(messages))
    assert Counter(raw(letter.body) for letter in dead) == Counter(message.body for message in messages)
    codes = {message.body: message.codes for message in messages}
    assert all(letter.headers["error_code"] in codes[raw(letter.body)] for letter in dead)
    assert not [letter for letter in dead if "x-death" in letter.headers or "task" in letter.headers]
    (volumes.root / SAMPLE.name).write_bytes(SAMPLE.read_bytes())
    sha = hashlib.sha256(SAMPLE.read_bytes()).hexdigest()
    client.publish("receipts.v1.work", "receipt", encode_work(process(sha, SAMPLE.name)))
    assert client.take("ocr.results.v1.work")
    assert worker.process.poll() is None
    client.close()
