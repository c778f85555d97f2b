"""Strangers' files, messages and symlinks through a real worker: each classified, no escape, no crash."""

import hashlib
import itertools
import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from contracts.receipts.codes import FailureCode
from contracts.receipts.work import encode_work, process
from tests.support import hostile
from tests.support.amqp import PlainClient, wait_until
from tests.support.servers import Broker, Volumes

SECRET = "the-secret-of-another-folder"
SAMPLE = Path(__file__).parents[2] / "data" / "receipts" / "cafe-english.jpg"
SECONDS = 1500
LIMITS = {"OCR_TIMEOUT_SECONDS": "20", "OCR_WORKER_CONCURRENCY": "2", "LEDGER_CELERY_EVENTS": "false"}


@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.matrix), 8])
@pytest.mark.timeout(SECONDS + 60)
@pytest.mark.case("C029")
def test_each_file_gets_a_right_verdict_and_the_worker_lives(
    broker: Broker, volumes: Volumes, run_role, tmp_path: Path, every: int
) -> None:
    files = {
        hashlib.sha256(file.content).hexdigest(): file for file in itertools.islice(hostile.files(), 0, None, every)
    }
    with watched_worker(broker, volumes, run_role) as client:
        for number, (sha, file) in enumerate(files.items()):
            reference = f"{number}-{file.name}"
            (volumes.root / reference).write_bytes(file.content)
            client.publish("receipts.v1.work", "receipt", encode_work(process(sha, reference)))
        found = verdicts(client, len(files))
    assert {files[sha].name: found.get(sha) for sha in files if found.get(sha) not in files[sha].verdicts} == {}
    assert set(found.values()) - {hostile.READ} <= set(FailureCode)
    assert not Path("/tmp/escaped").exists()


def test_each_message_is_dead_with_its_code_byte_identical(broker: Broker, volumes: Volumes, run_role) -> None:
    messages = list(hostile.messages())
    with watched_worker(broker, volumes, run_role) as client:
        for message in messages:
            given = {"application_headers": message.headers, "content_type": message.content_type}
            client.publish("receipts.v1.work", "receipt", message.body, **given)
        dead = client.take("receipts.v1.dead", len(messages))
        assert client.ready("ocr.results.v1.work") == 0, "a bad contract gives no event"
    assert Counter(map(body_of, dead)) == Counter(message.body for message in messages)
    right = {message.body: message.codes for message in messages}
    for letter in dead:
        assert letter.headers["error_code"] in right[body_of(letter)], body_of(letter)[:80]
        assert not {"x-death", "task", "error\r\n"} & letter.headers.keys()
        assert "\n" not in letter.headers["error_message"]


def test_no_symlink_leads_out_also_not_one_that_changes_all_the_time(
    broker: Broker, volumes: Volumes, run_role, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.jpg").write_bytes(SECRET.encode() + SAMPLE.read_bytes())
    sha = hashlib.sha256((outside / "secret.jpg").read_bytes()).hexdigest()
    good = hashlib.sha256(SAMPLE.read_bytes()).hexdigest()
    (volumes.root / "plain.jpg").symlink_to(outside / "secret.jpg")
    (volumes.root / "folder").symlink_to(outside)
    (volumes.root / "loop.jpg").symlink_to("loop.jpg")
    references = ["plain.jpg", "folder/secret.jpg", "loop.jpg", *(f"race-{number}.jpg" for number in range(30))]
    with watched_worker(broker, volumes, run_role) as client, swapping(volumes.root, outside / "secret.jpg"):
        for reference in references:
            client.publish("receipts.v1.work", "receipt", encode_work(process(sha, reference)))
        found = client.take("receipts.v1.dead", len(references))
        assert client.ready("ocr.results.v1.work") == 0, "nothing outside was ever read"
    codes = {json.loads(body_of(letter))["source_reference"]: letter.headers["error_code"] for letter in found}
    assert {codes[name] for name in references[:3]} == {"PATH_UNSAFE"}
    assert set(codes.values()) <= {"PATH_UNSAFE", "SOURCE_MISSING", "HASH_MISMATCH"}
    assert good != sha
    kept = b"".join(path.read_bytes() for path in volumes.cache.rglob("*") if path.is_file())
    assert SECRET.encode() not in kept


@contextmanager
def watched_worker(broker: Broker, volumes: Volumes, run_role) -> Iterator[PlainClient]:
    """Run one worker; at the end it and its two children must be the same processes as before."""
    worker = run_role("ocr", environment=broker.environment | volumes.environment | LIMITS)
    children = worker.children()
    client = PlainClient(broker.url)
    yield client
    client.close()
    assert worker.process.poll() is None
    assert set(children) <= set(worker.children()), "a child crashed"
    assert "INTERNAL_ERROR" not in worker.text()


def verdicts(client: PlainClient, count: int) -> dict[str, str]:
    """Wait until every source has its end: a dead letter's code, or READ for a completed run."""
    found: dict[str, str] = {}

    def drain() -> bool:
        while (letter := client.channel.basic_get("receipts.v1.dead", no_ack=True)) is not None:
            found[json.loads(body_of(letter))["source_sha256"]] = letter.headers["error_code"]
        while (event := client.channel.basic_get("ocr.results.v1.work", no_ack=True)) is not None:
            body = json.loads(body_of(event))
            if body["event_type"] == "ocr.run-completed.v1":
                found[body["source_sha256"]] = hostile.READ
        return len(found) == count

    wait_until(drain, f"the end of {count} files", SECONDS)
    return found


@contextmanager
def swapping(root: Path, secret: Path) -> Iterator[None]:
    """Turn the racing paths into a good file, a link that leads out, and nothing, as fast as possible."""
    done = threading.Event()

    def swap() -> None:
        for number in itertools.cycle(range(30)):
            if done.is_set():
                return
            path, other = root / f"race-{number}.jpg", root / f".other-{number}"
            other.symlink_to(secret)
            other.replace(path)
            other.write_bytes(SAMPLE.read_bytes())
            other.replace(path)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def body_of(message: Any) -> bytes:
    return message.body if isinstance(message.body, bytes) else message.body.encode()
