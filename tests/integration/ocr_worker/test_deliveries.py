"""What the OCR worker does with every delivery, on a real broker with a real worker."""

import hashlib
import json
import os
import shutil
import signal
from pathlib import Path

import pytest

from contracts.receipts.work import encode_work, process
from tests.support.amqp import PlainClient, wait_until
from tests.support.servers import Broker, Volumes

SAMPLES = Path(__file__).parents[2] / "data" / "receipts"
SHA = "a" * 64
GOOD = {"version": 1, "source_sha256": SHA, "source_reference": "x.pdf", "attempt": 1}

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


@pytest.fixture
def client(broker: Broker):
    made = PlainClient(broker.url)
    yield made
    made.close()


def put(volumes: Volumes, name: str) -> tuple[str, str]:
    """Copy a sample below the root; return its hash and reference."""
    shutil.copy(SAMPLES / name, volumes.root / name)
    return hashlib.sha256((volumes.root / name).read_bytes()).hexdigest(), name


@pytest.mark.trap(12)
def test_malformed_messages_end_in_dead_byte_identical_and_the_worker_lives(broker, volumes, run_role, client) -> None:
    worker = run_role("ocr", environment=broker.environment | volumes.environment)
    for body, properties in MALFORMED.values():
        client.publish("receipts.v1.work", "receipt", body, **properties)
    dead = client.take("receipts.v1.dead", len(MALFORMED))
    found = sorted(message.body if isinstance(message.body, bytes) else message.body.encode() for message in dead)
    assert found == sorted(body for body, _ in MALFORMED.values())
    codes = {message.headers["error_code"] for message in dead}
    assert codes == {"CONTRACT_INVALID", "VERSION_UNKNOWN", "PATH_UNSAFE", "BODY_TOO_LARGE"}
    assert worker.process.poll() is None
    sha, reference = put(volumes, "cafe-english.jpg")
    client.publish("receipts.v1.work", "receipt", encode_work(process(sha, reference)))
    assert client.take("ocr.results.v1.work")


def test_a_body_alone_is_enough_and_both_kinds_of_events_follow(broker, volumes, run_role, client) -> None:
    run_role("ocr", environment=broker.environment | volumes.environment)
    sha, reference = put(volumes, "cafe-english.jpg")
    body = json.dumps({"attempt": 1, "version": 1, "source_reference": reference, "source_sha256": sha}, indent=1)
    client.publish("", "receipts.v1.work", body.encode())
    events = [json.loads(message.body) for message in client.take("ocr.results.v1.work", 2)]
    assert [event["event_type"] for event in events] == ["ocr.run-completed.v1", "ocr.pass-completed.v1"]
    assert {event["source_sha256"] for event in events} == {sha}
    assert (volumes.cache / f"{reference}.json").is_file()
    wait_until(lambda: client.ready("receipts.v1.work") == 0, "the delivery to be acknowledged")


def test_an_unreadable_file_is_dead_at_once_with_run_failed(broker, volumes, run_role, client) -> None:
    run_role("ocr", environment=broker.environment | volumes.environment)
    sha, reference = put(volumes, "encrypted.pdf")
    client.publish("receipts.v1.work", "receipt", encode_work(process(sha, reference)))
    (dead,) = client.take("receipts.v1.dead")
    assert dead.headers["error_code"] == "PDF_ENCRYPTED"
    event = json.loads(client.take("ocr.results.v1.work")[0].body)
    assert event["event_type"] == "ocr.run-failed.v1"
    assert event["payload"]["failure"]["code"] == "PDF_ENCRYPTED"
    assert event["payload"]["failure"]["attempts"] == 1


@pytest.mark.case("C036")
def test_a_kill_in_the_middle_of_a_receipt_lets_another_finish_it_once(broker, volumes, run_role, client) -> None:
    environment = broker.environment | volumes.environment
    first = run_role("ocr", environment=environment)
    sha, reference = put(volumes, "baumarkt-scan.pdf")
    client.publish("receipts.v1.work", "receipt", encode_work(process(sha, reference)))
    started = volumes.cache / ".attempts" / sha
    wait_until(lambda: started.is_dir() and any(started.glob("*.json")), "the start of OCR")
    first.kill()
    run_role("ocr", environment=environment)
    events = [json.loads(message.body)["event_type"] for message in client.take("ocr.results.v1.work", 2)]
    assert events.count("ocr.run-completed.v1") == 1
    (budget,) = [json.loads(path.read_text()) for path in started.glob("*.json")]
    assert [start["end"] for start in budget["starts"]] == ["open", "ok"]
    assert client.ready("receipts.v1.dead") == 0


@pytest.mark.case("C026")
@pytest.mark.case("C069")
def test_a_child_killed_at_every_start_is_dead_after_three_while_others_finish(
    broker, volumes, run_role, client
) -> None:
    worker = run_role("ocr", environment=broker.environment | volumes.environment)
    sha, reference = put(volumes, "baumarkt-scan.pdf")
    good, good_reference = put(volumes, "cafe-english.jpg")
    started = volumes.cache / ".attempts" / sha
    client.publish("receipts.v1.work", "receipt", encode_work(process(sha, reference)))
    client.publish("receipts.v1.work", "receipt", encode_work(process(good, good_reference)))

    def open_starts() -> list[dict[str, str]]:
        budgets = [json.loads(path.read_text()) for path in started.glob("*.json")] if started.is_dir() else []
        return [start for budget in budgets for start in budget["starts"] if start["end"] == "open"]

    for count in (1, 2, 3):
        wait_until(lambda count=count: len(open_starts()) == count, f"start {count}")
        os.kill(int(open_starts()[-1]["worker"].split(":")[1]), signal.SIGKILL)
    (dead,) = client.take("receipts.v1.dead")
    assert dead.headers["error_code"] == "WORKER_LOST"
    assert len(open_starts()) == 3
    kinds = [json.loads(message.body) for message in client.take("ocr.results.v1.work", 3)]
    assert {event["source_sha256"] for event in kinds if event["event_type"] != "ocr.run-failed.v1"} == {good}
    assert [event["payload"]["failure"]["attempts"] for event in kinds if "failure" in event["payload"]] == [3]
    assert worker.process.poll() is None


def test_volumes_that_are_not_proven_hold_the_delivery_until_they_are(broker, volumes, run_role, client) -> None:
    proof = volumes.root / ".ledger-volume"
    kept = proof.read_bytes()
    proof.unlink()
    run_role("ocr", environment=broker.environment | volumes.environment)
    sha, reference = put(volumes, "cafe-english.jpg")
    client.publish("receipts.v1.work", "receipt", encode_work(process(sha, reference)))
    wait_until(lambda: client.ready("receipts.v1.work") == 0, "the delivery to be taken")
    proof.write_bytes(kept)
    assert client.take("ocr.results.v1.work")
    assert client.ready("receipts.v1.dead") == 0


def test_a_hold_that_lasts_is_handed_back_and_uses_no_attempt(broker, volumes, run_role, client) -> None:
    proof = volumes.root / ".ledger-volume"
    kept = proof.read_bytes()
    proof.unlink()
    run_role("ocr", environment=broker.environment | volumes.environment | {"HOLD_SECONDS": "0.3"})
    sha, reference = put(volumes, "cafe-english.jpg")
    client.publish("receipts.v1.work", "receipt", encode_work(process(sha, reference)), message_id=f"receipt.v1:{sha}")
    (copy,) = client.take("receipts.v1.retry")
    assert copy.headers["x-ledger-held"] == 1
    assert copy.headers["error_code"] == "VOLUME_NOT_PROVEN"
    assert json.loads(copy.body)["attempt"] == 1
    proof.write_bytes(kept)
    client.publish("receipts.v1.work", "receipt", copy.body, **copy.properties)
    assert client.take("ocr.results.v1.work")


@pytest.mark.case("C070")
@pytest.mark.trap(13)
def test_sigterm_finishes_the_current_receipt_and_acknowledges_it(broker, volumes, run_role, client) -> None:
    worker = run_role("ocr", environment=broker.environment | volumes.environment)
    sha, reference = put(volumes, "baumarkt-scan.pdf")
    client.publish("receipts.v1.work", "receipt", encode_work(process(sha, reference)))
    started = volumes.cache / ".attempts" / sha
    wait_until(lambda: started.is_dir() and any(started.glob("*.json")), "the start of OCR")
    assert worker.stop() == 0
    assert client.ready("ocr.results.v1.work") == 2
    assert client.ready("receipts.v1.work") == 0


def test_sigterm_hands_a_held_delivery_back_at_once(broker, volumes, run_role, client) -> None:
    (volumes.root / ".ledger-volume").unlink()
    worker = run_role("ocr", environment=broker.environment | volumes.environment)
    sha, reference = put(volumes, "cafe-english.jpg")
    client.publish("receipts.v1.work", "receipt", encode_work(process(sha, reference)))
    wait_until(lambda: "held" in worker.text(), "the delivery to be held")
    assert worker.stop() == 0
    (copy,) = client.take("receipts.v1.work")
    assert copy.headers["x-ledger-held"] == 1, "it came back through the retry queue, not by a requeue"


def test_no_process_of_the_ocr_worker_holds_a_database_driver_or_address(broker, volumes, run_role, client) -> None:
    worker = run_role("ocr", environment=broker.environment | volumes.environment)
    sha, reference = put(volumes, "cafe-english.jpg")
    client.publish("receipts.v1.work", "receipt", encode_work(process(sha, reference)))
    client.take("ocr.results.v1.work")
    family = descendants(worker.pid)
    assert len(family) >= 3, "main process, child and reader"
    for pid in family:
        assert b"DATABASE_URL" not in Path(f"/proc/{pid}/environ").read_bytes()
        mapped = Path(f"/proc/{pid}/maps").read_text()
        assert not [word for word in ("sqlalchemy", "psycopg", "libpq") if word in mapped]


def descendants(pid: int) -> list[int]:
    children = [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [pid, *(found for child in children for found in descendants(child))]
