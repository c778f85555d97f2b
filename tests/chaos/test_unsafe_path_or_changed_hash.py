"""Who decides what: Unsafe path; hash differs before or after reading.

Terminal: dead; no event. If a valid marker or cache for that hash exists: done.
"""

from contracts.receipts.work import process
from tests.support.amqp import wait_until
from tests.support.deliveries import events_in, put, starts, submit


def test_a_path_that_leads_out_and_a_file_of_another_hash_are_dead_without_an_event(
    broker, volumes, run_role, client, tmp_path
) -> None:
    run_role("ocr", environment=broker.environment | volumes.environment)
    (tmp_path / "outside.jpg").write_bytes(b"secret")
    (volumes.root / "out.jpg").symlink_to(tmp_path / "outside.jpg")
    work = put(volumes, "cafe-english.jpg")
    submit(client, process(work.source_sha256, "out.jpg"))
    submit(client, process("b" * 64, work.source_reference))
    codes = [letter.headers["error_code"] for letter in client.take("receipts.v1.dead", 2)]
    assert codes == ["PATH_UNSAFE", "HASH_MISMATCH"]
    assert client.ready("ocr.results.v1.work") == 0
    assert starts(volumes) == [], "not a byte was interpreted"


def test_a_file_that_changes_while_it_is_read_is_dead_without_event_and_cache(
    broker, volumes, run_role, client
) -> None:
    run_role("ocr", environment=broker.environment | volumes.environment)
    work = submit(client, put(volumes, "baumarkt-scan.pdf"))
    wait_until(lambda: bool(starts(volumes)), "the start of OCR")
    (volumes.root / work.source_reference).write_bytes(b"another receipt")
    (letter,) = client.take("receipts.v1.dead")
    assert letter.headers["error_code"] == "HASH_MISMATCH"
    assert client.ready("ocr.results.v1.work") == 0
    assert not (volumes.cache / f"{work.source_reference}.json").exists()


def test_a_file_that_changed_after_it_was_read_is_done_for_its_old_hash(broker, volumes, run_role, client) -> None:
    run_role("ocr", environment=broker.environment | volumes.environment)
    work = submit(client, put(volumes, "cafe-english.jpg"))
    first = events_in(client, 2)
    (volumes.root / work.source_reference).write_bytes(b"another receipt")
    submit(client, work)
    assert [event["run_uuid"] for event in events_in(client, 2)] == [event["run_uuid"] for event in first]
    assert client.ready("receipts.v1.dead") == 0
    assert len(starts(volumes)) == 1
