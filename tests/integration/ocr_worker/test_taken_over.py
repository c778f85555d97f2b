"""Parsers that were taken over, in a real worker on a real broker: each receipt is classified and the worker lives."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from contracts.receipts.work import encode_work, process
from tests.support import hostile_reader
from tests.support.amqp import PlainClient, wait_until

SAMPLE = Path(__file__).parents[2] / "data" / "receipts" / "rail-text-layer.pdf"
CODES = {
    b"spin": "TIMEOUT",
    b"fork": "ENGINE_FAILED",
    b"write": "ENGINE_FAILED",
    b"crash": "ENGINE_FAILED",
    b"kill the worker": "INTERNAL_ERROR",
}
USE_HOSTILE_READER = f"""
from ledger_tasks.ocr import reader_process
reader_process.PROGRAM = ({hostile_reader.__file__!r},)
"""


@pytest.mark.case("C026")
@pytest.mark.timeout(240)
def test_each_attack_is_dead_with_its_code_and_the_receipt_behind_them_is_read(
    broker, volumes, run_role, tmp_path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(USE_HOSTILE_READER)
    limits = {"OCR_TIMEOUT_SECONDS": "5", "PYTHONPATH": str(tmp_path)}
    worker = run_role("ocr", environment=broker.environment | volumes.environment | limits)
    children = worker.children()
    client = PlainClient(broker.url)
    for number, attack in enumerate(CODES):
        (volumes.root / f"{number}.pdf").write_bytes(attack)
        client.publish("receipts.v1.work", "receipt", encode_work(process(sha_of(attack), f"{number}.pdf")))
    shutil.copy(SAMPLE, volumes.root)
    client.publish("receipts.v1.work", "receipt", encode_work(process(sha_of(SAMPLE.read_bytes()), SAMPLE.name)))
    wait_until(lambda: client.ready("receipts.v1.dead") == len(CODES), "an end of each attack", 200)
    letters = client.take("receipts.v1.dead", len(CODES))
    found = {json.loads(letter.body)["source_sha256"]: letter.headers["error_code"] for letter in letters}
    assert found == {sha_of(attack): code for attack, code in CODES.items()}
    events = [json.loads(event.body) for event in client.take("ocr.results.v1.work", len(CODES) + 2)]
    completed = {each["source_sha256"] for each in events if each["event_type"] == "ocr.run-completed.v1"}
    assert completed == {sha_of(SAMPLE.read_bytes())}
    assert worker.process.poll() is None
    assert set(children) <= set(worker.children()), "a child crashed"
    client.close()


def sha_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
