"""Every outcome of one delivery: real files in a temporary folder, a reader that answers as told, no broker."""

import hashlib
import json
from pathlib import Path

import pytest

from contracts.receipts import work as works
from contracts.receipts.receipt import Receipt
from contracts.receipts.results import RunCompleted, RunFailed, decode_result
from contracts.receipts.work import RebuildCache, RebuildCacheInBatch, decode_work
from ledger_tasks.errors import Infrastructure, Terminal, Transient
from ledger_tasks.files import attempts, urgency
from ledger_tasks.files.batches import finished
from ledger_tasks.messaging.delivery import Delivery
from ledger_tasks.messaging.message import BUDGET, PUBLICATION, YIELDED
from ledger_tasks.messaging.outcome import Again, Dead, Done, Hold
from ledger_tasks.ocr.process import internal_error, process
from ledger_tasks.ocr.protocol import Reading
from tests.support.receipt_room import FIRST, REF, REQUEST, SECOND, SHA, Room, delivery, reading, v1, v2


@pytest.fixture
def room(tmp_path: Path) -> Room:
    return Room(tmp_path)


def of(outcome) -> list:
    return [decode_result(message.body) for message in outcome.events]


def test_a_receipt_is_read_once_and_told_with_its_artifact(room: Room) -> None:
    outcome = room.deliver(v1())
    assert isinstance(outcome, Done)
    (event,) = of(outcome)
    assert isinstance(event, RunCompleted)
    (artifact,) = event.artifacts
    kept = room.cache / ".artifacts" / f"{artifact.sha256}.json"
    assert hashlib.sha256(kept.read_bytes()).hexdigest() == artifact.sha256 == event.payload.run.cache_sha256
    assert artifact.uri == f"artifact:/{artifact.sha256}.json"
    assert kept.samefile(room.cache / f"{REF}.json")


def test_a_duplicate_of_v1_repeats_the_same_events_without_ocr(room: Room) -> None:
    first, second = room.deliver(v1()), room.deliver(v1(SECOND))
    assert [message.message_id for message in first.events] == [message.message_id for message in second.events]
    assert room.runs == 1


def test_a_receipt_whose_name_leaves_no_room_for_an_ending_is_cached_by_its_hash(room: Room) -> None:
    name = f"{'ß' * 125}x.jpg"
    assert len(name.encode()) == 255
    (room.root / name).write_bytes((room.root / REF).read_bytes())
    for publication in (FIRST, SECOND):
        assert isinstance(room.deliver(delivery(works.process(SHA, name), publication, 0, {})), Done)
    assert (room.runs, (room.cache / f"{SHA}.json").exists()) == (1, True)


def test_three_transient_failures_are_dead_with_their_code_and_run_failed(room: Room) -> None:
    room.raises(Transient("TIMEOUT", "300 s"))
    first = room.deliver(v1())
    assert isinstance(first, Again)
    assert decode_work(first.body).attempt == 2
    assert first.headers[PUBLICATION] == FIRST
    assert isinstance(room.deliver(v1(attempt=2)), Again)
    last = room.deliver(v1(attempt=3))
    assert isinstance(last, Dead)
    (event,) = of(last)
    assert isinstance(event, RunFailed)
    failure = event.payload.failure
    assert (failure.code, failure.attempts, failure.terminal, last.reason.code) == ("TIMEOUT", 3, True, "TIMEOUT")


def test_a_spent_budget_acknowledges_later_copies_without_a_second_dead_letter(room: Room) -> None:
    room.raises(Terminal("IMAGE_CORRUPT", "half an image"))
    assert isinstance(room.deliver(v1()), Dead)
    again = room.deliver(v1(count=1))
    assert (again.events, room.runs) == ((), 1)


def test_an_unconfirmed_dead_copy_is_made_again(room: Room) -> None:
    room.raises(Terminal("IMAGE_CORRUPT", "half an image"))
    assert isinstance(room.deliver(v1(), confirmed=False), Dead)
    assert isinstance(room.deliver(v1(count=1)), Dead)


def test_a_new_publication_of_v1_has_a_new_budget(room: Room) -> None:
    room.raises(Terminal("IMAGE_CORRUPT", "half an image"))
    room.deliver(v1())
    assert isinstance(room.deliver(v1(SECOND)), Dead)
    assert room.runs == 2


def test_v2_keeps_its_budget_over_publications_until_a_budget_header_opens_a_new_one(room: Room) -> None:
    room.raises(Terminal("IMAGE_CORRUPT", "half an image"))
    room.deliver(v2())
    assert isinstance(room.deliver(v2(SECOND)), Done)
    assert room.runs == 1
    assert isinstance(room.deliver(v2(SECOND, **{BUDGET: SECOND})), Dead)
    assert room.runs == 2


def crash(room: Room) -> None:
    """Leave a start open, as a killed worker does."""
    room.raises(KeyboardInterrupt())  # type: ignore[arg-type]
    with pytest.raises(KeyboardInterrupt):
        process(v1(count=1), room.desk)


def test_three_crashes_are_dead_as_worker_lost_without_a_fourth_start(room: Room) -> None:
    for _ in range(3):
        crash(room)
    room.reads = reading
    outcome = room.deliver(v1(count=3))
    assert isinstance(outcome, Dead)
    assert (outcome.reason.code, room.runs) == ("WORKER_LOST", 3)
    assert of(outcome)[0].payload.failure.attempts == 3


def test_crashes_and_failures_share_one_budget(room: Room) -> None:
    crash(room)
    crash(room)
    room.raises(Transient("ENGINE_FAILED", "x"))
    outcome = room.deliver(v1(count=2))
    assert isinstance(outcome, Dead)
    assert outcome.reason.code == "ENGINE_FAILED"


def test_a_start_that_a_shutdown_interrupted_does_not_count(room: Room) -> None:
    for _ in range(5):
        crash(room)
        (path,) = (room.cache / ".attempts" / SHA).glob("*.json")
        start = json.loads(path.read_text())["starts"][-1]
        attempts.mark_stopping(room.cache, SHA, start["id"])
    room.reads = reading
    assert isinstance(room.deliver(v1(count=5)), Done)


def test_infrastructure_trouble_during_ocr_is_held_and_spends_nothing(room: Room) -> None:
    room.raises(Infrastructure("CACHE_UNAVAILABLE", "No space left on device"))
    for _ in range(10):
        outcome = room.deliver(v1())
        assert isinstance(outcome, Hold)
    room.reads = reading
    assert isinstance(room.deliver(v1()), Done)


def test_work_of_a_batch_lets_new_receipts_pass_once_and_uses_no_attempt(room: Room) -> None:
    urgency.new_receipts_wait(room.cache, FIRST)
    assert isinstance(room.deliver(v2(**{YIELDED: FIRST})), Done), "nothing new since it was published"
    later = v2(request=SECOND, **{YIELDED: ""})
    yielded = room.deliver(later)
    assert isinstance(yielded, Again)
    assert (yielded.body, yielded.headers[YIELDED], room.runs) == (later.body, FIRST, 1)
    assert isinstance(room.deliver(v2(request=SECOND, **yielded.headers)), Done)
    urgency.new_receipts_wait(room.cache, REQUEST)
    assert isinstance(room.deliver(v1()), Done), "no batch: it does not wait"


def test_a_busy_source_is_held(room: Room) -> None:
    from ledger_tasks.files.locks import source_lock

    with source_lock(room.cache, SHA, seconds=1):
        outcome = process(v1(), room.desk)
    assert isinstance(outcome, Hold)
    assert outcome.reason.code == "LOCK_BUSY"


@pytest.mark.parametrize("proof", ["root", "cache"])
def test_a_volume_that_is_not_mounted_is_held_never_missing(room: Room, proof: str) -> None:
    (getattr(room, proof) / ".ledger-volume").unlink()
    outcome = process(v1(), room.desk)
    assert isinstance(outcome, Hold)
    assert not outcome.recovered()


def test_another_receipt_volume_is_held(room: Room) -> None:
    (room.root / ".ledger-volume").write_text(REQUEST)
    assert isinstance(process(v1(), room.desk), Hold)


def test_a_missing_source_is_dead_with_run_failed(room: Room) -> None:
    (room.root / REF).unlink()
    outcome = room.deliver(v1())
    assert isinstance(outcome, Dead)
    assert (outcome.reason.code, len(outcome.events)) == ("SOURCE_MISSING", 1)


def test_a_changed_source_is_dead_without_an_event(room: Room) -> None:
    (room.root / REF).write_bytes(b"another")
    outcome = room.deliver(v1())
    assert isinstance(outcome, Dead)
    assert (outcome.reason.code, outcome.events, room.runs) == ("HASH_MISMATCH", (), 0)


def test_a_source_that_changes_while_it_is_read_is_dead(room: Room) -> None:
    def change() -> Reading:
        (room.root / REF).write_bytes(b"another")
        return reading()

    room.reads = change
    outcome = room.deliver(v1())
    assert isinstance(outcome, Dead)
    assert outcome.reason.code == "HASH_MISMATCH"
    assert not (room.cache / f"{REF}.json").exists()


def test_a_source_that_is_gone_after_it_was_read_is_done(room: Room) -> None:
    room.deliver(v1())
    (room.root / REF).unlink()
    assert isinstance(room.deliver(v2()), Done)
    assert room.runs == 1


def test_v2_reads_again_although_a_cache_exists_and_only_once_per_request(room: Room) -> None:
    room.deliver(v1())
    first = room.deliver(v2())
    assert room.runs == 2
    assert of(first)[0].payload.persistence_mode == "reprocess"
    assert of(first)[0].payload.run.generation > 0
    assert room.deliver(v2(count=1)).events == (), "a redelivery of the same publication may stay silent"
    again = room.deliver(v2(SECOND))
    assert [m.message_id for m in again.events] == [m.message_id for m in first.events]
    assert room.runs == 2


def test_an_unconfirmed_marker_tells_again_and_is_void_when_the_cache_changed(room: Room) -> None:
    room.deliver(v2(), confirmed=False)
    assert room.deliver(v2(count=1), confirmed=False).events
    assert room.runs == 1
    room.reads = lambda: reading("another text")
    room.deliver(v2(request=FIRST))
    room.deliver(v2(count=2))
    assert room.runs == 3


def test_a_late_duplicate_tells_its_own_run_and_never_overwrites_a_newer_cache(room: Room) -> None:
    old = room.deliver(v2())
    room.reads = lambda: reading("newer")
    room.deliver(v2(request=FIRST))
    newer = (room.cache / f"{REF}.json").read_bytes()
    late = room.deliver(v2(SECOND))
    assert [m.message_id for m in late.events] == [m.message_id for m in old.events]
    assert (room.cache / f"{REF}.json").read_bytes() == newer
    (room.cache / ".artifacts" / f"{of(old)[0].artifacts[0].sha256}.json").unlink()
    assert room.deliver(v2(SECOND)).events == ()
    assert room.runs == 2


def test_without_any_cache_a_confirmed_marker_is_void(room: Room) -> None:
    room.deliver(v2())
    (room.cache / f"{REF}.json").unlink()
    assert room.deliver(v2(SECOND)).events
    assert room.runs == 2


def test_a_cache_of_another_hash_is_missing(room: Room) -> None:
    room.deliver(v1())
    path = room.cache / f"{REF}.json"
    path.write_text(path.read_text().replace(SHA, "b" * 64))
    room.deliver(v1(SECOND))
    assert room.runs == 2


def test_generations_only_grow_also_against_the_clock(room: Room) -> None:
    lock = room.cache / ".locks" / f"{SHA}.lock"
    lock.parent.mkdir()
    future = 9_000_000_000_000_000
    lock.write_text(str(future))
    assert of(room.deliver(v1()))[0].payload.run.generation == future + 1
    assert of(room.deliver(v2()))[0].payload.run.generation == future + 2


def test_v3_refreshes_the_cache_alone_and_counts_its_batch_once(room: Room) -> None:
    parts = {"version": 3, "source_sha256": SHA, "source_reference": REF, "attempt": 1, "request_id": REQUEST}
    alone = RebuildCache(**parts)
    assert of(room.deliver(delivery(alone, FIRST, 0, {})))[0].payload.persistence_mode == "cache_only"
    batched = RebuildCacheInBatch(**parts | {"request_id": FIRST}, batch_id=SECOND, batch_index=1, batch_total=2)
    for publication in (FIRST, SECOND, REQUEST):
        room.deliver(delivery(batched, publication, 0, {}))
    assert (finished(room.cache, SECOND), room.runs) == (1, 2)


def test_a_foreign_message_opens_a_budget_that_its_redeliveries_and_copies_find_again(room: Room) -> None:
    room.raises(Transient("TIMEOUT", "x"))
    first = room.deliver(v1(None))
    assert isinstance(first, Again)
    assert {PUBLICATION, BUDGET} <= first.headers.keys()
    assert isinstance(room.deliver(v1(None, count=1)), Again)
    copied = Delivery(first.body, None, None, None, first.headers, 0, redelivered=False)
    assert isinstance(room.deliver(copied), Dead)
    assert isinstance(room.deliver(v1(None)), Again), "published anew by a stranger: a new budget"


@pytest.mark.case("C060")
def test_the_eighteenth_delivery_is_settled_by_us(room: Room) -> None:
    outcome = room.deliver(v1(count=18))
    assert isinstance(outcome, Dead)
    assert (outcome.reason.code, room.runs) == ("DELIVERIES_EXHAUSTED", 0)


def test_a_path_that_leads_out_is_dead_without_an_event(room: Room) -> None:
    (room.root / "out.jpg").symlink_to("/etc/hostname")
    outcome = room.deliver(delivery(works.process(SHA, "out.jpg"), FIRST, 0, {}))
    assert isinstance(outcome, Dead)
    assert (outcome.reason.code, outcome.events) == ("PATH_UNSAFE", ())


def test_a_result_over_eight_mebibytes_is_terminal(room: Room) -> None:
    def big() -> Reading:
        items = tuple({"description": "x" * 1000} for _ in range(9000))
        receipt = Receipt.model_validate_json(json.dumps({"items": items, "raw_text": ""}))
        return reading().model_copy(update={"receipt": receipt})

    room.reads = big
    outcome = room.deliver(v1())
    assert isinstance(outcome, Dead)
    assert outcome.reason.code == "RESULT_TOO_LARGE"


def test_a_bug_of_ours_is_dead_with_its_own_code_and_tells_whose_it_is(room: Room) -> None:
    outcome = internal_error(v1(), room.desk)
    assert outcome.reason.code == "INTERNAL_ERROR"
    assert of(outcome)[0].source_sha256 == SHA
    assert internal_error(Delivery(b"?", None, None, None, {}, 0, redelivered=False), room.desk).events == ()


def test_every_start_is_told_to_the_main_process_and_taken_back(room: Room) -> None:
    room.deliver(v1())
    (sha, start), (_, none) = room.open
    assert (sha, none) == (SHA, None)
    assert start is not None
