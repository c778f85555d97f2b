"""Who decides what: Source missing on a proven volume.

Terminal: dead, run-failed; if a valid cache for that hash exists: done.
"""

from contracts.receipts.work import process, reprocess
from tests.support.deliveries import events_in, put, starts, submit

REQUEST = "840023b1-a078-4914-b074-81bd7129bb75"


def test_a_source_that_is_gone_is_dead_with_run_failed(broker, volumes, run_role, client) -> None:
    run_role("ocr", environment=broker.environment | volumes.environment)
    submit(client, process("a" * 64, "2026-08-14/gone.jpg"))
    (letter,) = client.take("receipts.v1.dead")
    assert letter.headers["error_code"] == "SOURCE_MISSING"
    (event,) = events_in(client, 1)
    assert event["payload"]["failure"]["code"] == "SOURCE_MISSING"
    assert starts(volumes) == []


def test_a_source_that_is_gone_and_was_read_before_is_done_also_for_a_refresh(
    broker, volumes, run_role, client
) -> None:
    run_role("ocr", environment=broker.environment | volumes.environment)
    work = submit(client, put(volumes, "cafe-english.jpg"))
    events_in(client, 2)
    (volumes.root / work.source_reference).unlink()
    submit(client, work)
    submit(client, reprocess(work.source_sha256, work.source_reference, REQUEST))
    modes = [event["payload"].get("persistence_mode") for event in events_in(client, 4)]
    assert modes == ["normal", None, "reprocess", None]
    assert client.ready("receipts.v1.dead") == 0
    assert len(starts(volumes)) == 1
