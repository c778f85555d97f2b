"""What a delivery needs and what a worker holds; what becomes of trouble is in tests/chaos, row by row."""

import json
import os
import signal
from pathlib import Path

import pytest

from ledger_tasks.extraction.hints import Hints, MerchantHint, merchant_key
from ledger_tasks.files.hints import read_hints, write_hints
from tests.support.amqp import wait_until
from tests.support.deliveries import events_in, put, starts, submit


def test_a_body_alone_is_enough_and_both_kinds_of_events_follow(broker, volumes, run_role, client) -> None:
    run_role("ocr", environment=broker.environment | volumes.environment)
    work = put(volumes, "cafe-english.jpg")
    sha, reference = work.source_sha256, work.source_reference
    body = json.dumps({"attempt": 1, "version": 1, "source_reference": reference, "source_sha256": sha}, indent=1)
    client.publish("", "receipts.v1.work", body.encode())
    events = events_in(client, 2)
    assert [event["event_type"] for event in events] == ["ocr.run-completed.v1", "ocr.pass-completed.v1"]
    assert {event["source_sha256"] for event in events} == {sha}
    assert (volumes.cache / f"{reference}.json").is_file()
    wait_until(lambda: client.ready("receipts.v1.work") == 0, "the delivery to be acknowledged")


@pytest.mark.trap(14)
def test_a_receipt_whose_process_of_the_worker_is_killed_is_delivered_again_to_the_next(
    broker, volumes, run_role, client
) -> None:
    worker = run_role("ocr", environment=broker.environment | volumes.environment)
    submit(client, put(volumes, "baumarkt-scan.pdf"))
    wait_until(lambda: bool(starts(volumes)), "the start of OCR")
    for child in worker.children():
        os.kill(child, signal.SIGKILL)
    assert len(events_in(client, 2)) == 2
    assert sorted(start["end"] for start in starts(volumes)) == ["ok", "open"], "a crash is one attempt"
    assert client.ready("receipts.v1.dead") == 0
    assert worker.process.poll() is None


def test_what_people_confirmed_about_a_merchant_reaches_the_reading(broker, volumes, run_role, client) -> None:
    hint = MerchantHint(name="Copper Kettle Ltd.")
    write_hints(volumes.cache, Hints(merchants={merchant_key("The Copper Kettle"): hint}))
    run_role("ocr", environment=broker.environment | volumes.environment)
    submit(client, put(volumes, "cafe-english.jpg"))
    merchant = events_in(client, 2)[0]["payload"]["receipt"]["merchant"]
    assert merchant["value"] == "Copper Kettle Ltd."
    assert merchant["source"] == f"rule: earlier receipts of {hint.name} ({read_hints(volumes.cache).revision})"


def test_no_process_of_the_ocr_worker_holds_a_database_driver_or_address(broker, volumes, run_role, client) -> None:
    worker = run_role("ocr", environment=broker.environment | volumes.environment)
    submit(client, put(volumes, "cafe-english.jpg"))
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
