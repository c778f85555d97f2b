"""Who decides what: Unreadable input.

Terminal at once: dead with its code; OCR is not run three times on it.
"""

import pytest

from tests.support.deliveries import events_in, put, starts, submit

BROKEN = {
    "encrypted.pdf": "PDF_ENCRYPTED",
    "empty.pdf": "EMPTY_FILE",
    "truncated.jpg": "IMAGE_CORRUPT",
    "pixel-bomb.png": "IMAGE_TOO_LARGE",
    "text-named.jpg": "UNSUPPORTED_TYPE",
}


@pytest.mark.case("C007")
def test_each_broken_file_is_dead_at_once_with_its_code_and_the_next_one_is_read(
    broker, volumes, run_role, client
) -> None:
    worker = run_role("ocr", environment=broker.environment | volumes.environment)
    for name in (*BROKEN, "cafe-english.jpg"):
        submit(client, put(volumes, name))
    dead = client.take("receipts.v1.dead", len(BROKEN))
    assert [letter.headers["error_code"] for letter in dead] == [*BROKEN.values()]
    told = events_in(client, len(BROKEN) + 2)
    failures = [event["payload"]["failure"] for event in told if event["event_type"] == "ocr.run-failed.v1"]
    assert [failure["code"] for failure in failures] == [*BROKEN.values()]
    assert {failure["attempts"] for failure in failures} == {1}
    assert [event["event_type"] for event in told[-2:]] == ["ocr.run-completed.v1", "ocr.pass-completed.v1"]
    assert len(starts(volumes)) == len(BROKEN) + 1
    worker.wait_until_consuming()
