"""Ticks of beat reach the publisher role, and a long silence of workers is not paid back tick by tick."""

import time
import uuid

import pytest
from kombu import Connection, Producer

from ledger_tasks.messaging.topology import TICK, declare, receipts_topology

QUEUE = "ledger.v1.discovery"


def send_ticks(inbox, number):
    with Connection(inbox.broker_url) as connection, connection.channel() as channel:
        producer = Producer(channel)
        for _ in range(number):
            task = str(uuid.uuid4())
            producer.publish(
                [[], {}, {}],
                exchange=QUEUE,
                routing_key=TICK,
                serializer="json",
                correlation_id=task,
                headers={"task": "receipts.discover", "id": task, "lang": "py", "root_id": task, "retries": 0},
            )


def until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.case("C022")
def test_workers_that_were_off_for_100_periods_scan_once(inbox, run_role):
    inbox.put("a.jpg")
    with Connection(inbox.broker_url) as connection:
        declare(connection, receipts_topology(1))
    send_ticks(inbox, 100)
    until(lambda: inbox.ready(QUEUE) == 1)
    role = run_role("publisher", environment=inbox.environment)
    until(lambda: inbox.sql("SELECT 1 FROM ingest.scans"))
    inbox.put("b.jpg")
    send_ticks(inbox, 1)
    until(lambda: inbox.ready() == 2)
    until(lambda: len(inbox.sql("SELECT 1 FROM ingest.scans")) == 2)
    assert role.text().count("scan finished") == 2


def test_a_tick_while_everything_is_away_is_used_up_and_the_next_one_scans(inbox, run_role):
    inbox.put("a.jpg")
    proof = inbox.root / ".ledger-volume"
    kept = proof.read_bytes()
    proof.write_bytes(b"840023b1-a078-4914-b074-81bd7129bb75")
    role = run_role("publisher", environment=inbox.environment)
    send_ticks(inbox, 1)
    until(lambda: "scan impossible" in role.text())
    assert inbox.ready() == 0
    proof.write_bytes(kept)
    send_ticks(inbox, 1)
    until(lambda: inbox.ready() == 1)


@pytest.mark.case("C002")
def test_a_tick_does_not_wait_for_a_file_that_grows(inbox, run_role):
    path = inbox.put("slow.pdf")
    role = run_role("publisher", environment=inbox.environment | {"RECEIPT_QUIET_SECONDS": "0.5"})
    send_ticks(inbox, 1)
    deadline = time.monotonic() + 60
    while "scan finished" not in role.text():
        with path.open("ab") as file:
            file.write(b"more")
        assert time.monotonic() < deadline
        time.sleep(0.05)
    ((numbers,),) = inbox.sql("SELECT summary FROM ingest.scans")
    assert (numbers["growing"], numbers["published"]) == (1, 0)
    send_ticks(inbox, 1)
    until(lambda: inbox.ready() == 1)
