"""Who decides what: Bad contract, unknown version, oversize body.

Terminal: dead, byte-identical; no event.
"""

import json

import pytest

from tests.support.deliveries import body_of, put, submit

GOOD = {"version": 1, "source_sha256": "a" * 64, "source_reference": "x.pdf", "attempt": 1}

MALFORMED = {
    "bad JSON": (b"{nope", {}),
    "binary": (bytes(range(256)), {}),
    "empty": (b"", {}),
    "a list": (b"[1,2]", {}),
    "an unknown version": (json.dumps(GOOD | {"version": 4}).encode(), {}),
    "version true": (json.dumps(GOOD | {"version": True}).encode(), {}),
    "a missing key": (json.dumps({name: GOOD[name] for name in ("version", "source_sha256", "attempt")}).encode(), {}),
    "an extra key": (json.dumps(GOOD | {"more": 1}).encode(), {}),
    "a duplicate key": (json.dumps(GOOD)[:-1].encode() + b',"attempt":1}', {}),
    "an unsafe path": (json.dumps(GOOD | {"source_reference": "../x.pdf"}).encode(), {}),
    "8193 bytes": (json.dumps(GOOD).encode().ljust(8193), {}),
    "a Celery task header without id": (b"{}", {"application_headers": {"task": "receipts.process"}}),
    "a pickle content type": (b"\x80\x04K\x01.", {"content_type": "application/x-python-serialize"}),
    "a compression header": (b"not gzip", {"application_headers": {"compression": "application/x-gzip"}}),
}


@pytest.mark.trap(12)
def test_malformed_messages_end_in_dead_byte_identical_and_the_worker_lives(broker, volumes, run_role, client) -> None:
    worker = run_role("ocr", environment=broker.environment | volumes.environment)
    for body, properties in MALFORMED.values():
        client.publish("receipts.v1.work", "receipt", body, **properties)
    dead = client.take("receipts.v1.dead", len(MALFORMED))
    assert sorted(map(body_of, dead)) == sorted(body for body, _ in MALFORMED.values())
    codes = {message.headers["error_code"] for message in dead}
    assert codes == {"CONTRACT_INVALID", "VERSION_UNKNOWN", "PATH_UNSAFE", "BODY_TOO_LARGE"}
    assert client.ready("ocr.results.v1.work") == 0
    assert worker.process.poll() is None
    submit(client, put(volumes, "cafe-english.jpg"))
    assert client.take("ocr.results.v1.work")
