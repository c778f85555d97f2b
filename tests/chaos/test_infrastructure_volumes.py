"""Who decides what: Infrastructure: volumes.

Not proven, unreadable, full: held, then handed back; spends no attempt, dead-letters nothing.
"""

import pytest

from tests.support.amqp import wait_until
from tests.support.deliveries import events_in, put, starts, submit
from tests.support.failing_kernel import failing
from tests.support.full_disk import small_volume, without_room

IMPATIENT = {"HOLD_SECONDS": "0.3"}
CALLS_OF_A_START = 2
"""To fsync, before OCR: the budget with the start, and its folder."""


@pytest.mark.parametrize("volume", ["root", "cache"])
def test_a_volume_that_is_not_mounted_holds_the_work_until_it_is(broker, volumes, run_role, client, volume) -> None:
    folder = getattr(volumes, volume)
    work = put(volumes, "cafe-english.jpg")
    elsewhere = folder.rename(folder.with_name("elsewhere"))
    folder.mkdir()
    worker = run_role("ocr", environment=broker.environment | volumes.environment)
    submit(client, work)
    wait_until(lambda: worker.holding() == "VOLUME_NOT_PROVEN", "health to say what is waited for")
    assert list(folder.iterdir()) == [], "nothing was written to the mount point"
    folder.rmdir()
    elsewhere.rename(folder)
    assert len(events_in(client, 2)) == 2
    wait_until(lambda: worker.holding() == "", "health to say that it is over")
    assert client.ready("receipts.v1.dead") == client.ready("receipts.v1.retry") == 0


def test_a_hold_that_lasts_is_handed_back_and_uses_no_attempt(broker, volumes, run_role, client) -> None:
    proof = volumes.root / ".ledger-volume"
    kept = proof.read_bytes()
    proof.unlink()
    run_role("ocr", environment=broker.environment | volumes.environment | IMPATIENT)
    submit(client, put(volumes, "cafe-english.jpg"))
    (copy,) = client.take("receipts.v1.retry")
    assert copy.headers["x-ledger-held"] == 1
    assert copy.headers["error_code"] == "VOLUME_NOT_PROVEN"
    assert b'"attempt":1' in copy.body.encode()
    proof.write_bytes(kept)
    client.publish("receipts.v1.work", "receipt", copy.body, **copy.properties)
    assert client.take("ocr.results.v1.work")


@pytest.mark.parametrize("times", [4, pytest.param(60, marks=[pytest.mark.matrix, pytest.mark.timeout(400)])])
def test_hand_backs_in_a_row_leave_none_in_dead_and_no_attempt_used(broker, volumes, run_role, client, times) -> None:
    proof = volumes.cache / ".ledger-volume"
    kept = proof.read_bytes()
    proof.unlink()
    worker = run_role("ocr", environment=broker.environment | volumes.environment | IMPATIENT)
    submit(client, put(volumes, "cafe-english.jpg"))
    wait_until(lambda: worker.text().count('"outcome": "Hold"') >= times, f"{times} hand-backs", 300)
    proof.write_bytes(kept)
    assert len(events_in(client, 2)) == 2
    assert client.ready("receipts.v1.dead") == 0
    assert [start["end"] for start in starts(volumes)] == ["ok"]


def test_a_full_disk_holds_the_work_and_runs_no_ocr_in_vain(broker, volumes, run_role, client) -> None:
    with small_volume(volumes.cache):
        worker = run_role("ocr", environment=broker.environment | volumes.environment | {"HOLD_SECONDS": "2"})
        with without_room(volumes.cache, worker):
            submit(client, put(volumes, "cafe-english.jpg"))
            wait_until(lambda: worker.text().count('"outcome": "Hold"') >= 2, "two hand-backs")
            assert worker.holding() == "CACHE_UNAVAILABLE"
            assert client.ready("ocr.results.v1.work") == client.ready("receipts.v1.dead") == 0
            tried = len(starts(volumes))
        assert len(events_in(client, 2)) == 2
        wait_until(lambda: worker.holding() == "", "health to say that it is over")
        ends = sorted(start["end"] for start in starts(volumes))
    assert tried <= 4, "a try needs room first"
    assert ends == ["ok"] + ["released"] * (len(ends) - 1), "no attempt was used"
    assert client.ready("receipts.v1.dead") == 0


@pytest.mark.case("C008")
@pytest.mark.parametrize("fault", ["fstat,newfstatat:error=ESTALE", "read:error=EIO"])
def test_a_receipt_that_the_kernel_cannot_read_is_held_until_it_can(broker, volumes, run_role, client, fault) -> None:
    worker = run_role("ocr", environment=broker.environment | volumes.environment)
    work = put(volumes, "cafe-english.jpg")
    with failing(worker, fault, volumes.root / work.source_reference):
        submit(client, work)
        wait_until(lambda: worker.holding() == "SOURCE_UNREADABLE", "health to say what is waited for")
    assert len(events_in(client, 2)) == 2
    assert client.ready("receipts.v1.dead") == client.ready("receipts.v1.retry") == 0
    assert [start["end"] for start in starts(volumes)] == ["ok"]


def test_a_cache_that_fails_after_the_ocr_uses_no_attempt_although_it_cannot_be_told(
    broker, volumes, run_role, client
) -> None:
    worker = run_role("ocr", environment=broker.environment | volumes.environment)
    with failing(worker, f"fsync:error=EIO:when={CALLS_OF_A_START + 1}+"):
        submit(client, put(volumes, "cafe-english.jpg"))
        wait_until(lambda: worker.holding() == "CACHE_UNAVAILABLE", "health to say what is waited for")
        assert [start["end"] for start in starts(volumes)] == ["open"]
    assert len(events_in(client, 2)) == 2
    assert client.ready("receipts.v1.dead") == client.ready("receipts.v1.retry") == 0
    assert sorted(start["end"] for start in starts(volumes)) == ["ok", "released"]
