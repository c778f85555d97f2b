"""Who decides what: A bug of ours.

Terminal: dead with INTERNAL_ERROR, traceback in the log; never a silent acknowledgement.
"""

from tests.support.deliveries import body_of, events_in, put, submit

BUG = """\
import sys
if sys.argv[1:2] == ["worker"]:
    from ledger_tasks.ocr import case
    def broken(*_arguments):
        raise ZeroDivisionError("a bug for this test")
    case.reuse = broken
"""


def test_an_unexpected_exception_is_a_dead_letter_with_its_traceback_in_the_log(
    broker, volumes, run_role, client, tmp_path
) -> None:
    (tmp_path / "planted").mkdir()
    (tmp_path / "planted" / "sitecustomize.py").write_text(BUG)
    planted = {"PYTHONPATH": str(tmp_path / "planted")}
    worker = run_role("ocr", environment=broker.environment | volumes.environment | planted)
    work = submit(client, put(volumes, "cafe-english.jpg"))
    (letter,) = client.take("receipts.v1.dead")
    assert letter.headers["error_code"] == "INTERNAL_ERROR"
    assert work.source_sha256.encode() in body_of(letter)
    assert "ZeroDivisionError: a bug for this test" in worker.text()
    (event,) = events_in(client, 1)
    assert event["payload"]["failure"]["code"] == "INTERNAL_ERROR"
    worker.wait_until_consuming()
