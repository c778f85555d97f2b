import json
import os
import sys
import threading
import time

import pytest

from contracts.identity import missing_cache_request
from tests.integration.discovery.caches import put_cache, sha256_of


def numbers(**given):
    names = "already_queued cache_missing discovered exhausted growing invalid published skipped"
    return dict.fromkeys(names.split(), 0) | given


@pytest.fixture
def completed(inbox):
    """Three receipts that are done, with their caches."""
    for name in "abc":
        inbox.put(f"d/{name}.jpg")
    inbox.publish()
    inbox.empty_queue()
    inbox.complete_all()
    for name in "abc":
        put_cache(inbox, f"d/{name}.jpg")
    return inbox


@pytest.mark.case("C003")
def test_three_scans_without_workers_leave_one_delivery_per_receipt(inbox):
    for name in "abc":
        inbox.put(f"2026-08-14/{name}.jpg")
    assert inbox.publish() == numbers(discovered=3, published=3)
    assert inbox.publish() == numbers(discovered=3, already_queued=3)
    assert inbox.publish() == numbers(discovered=3, already_queued=3)
    assert inbox.ready() == 3
    assert sorted(body["source_reference"] for body in inbox.bodies()) == [f"2026-08-14/{name}.jpg" for name in "abc"]


def test_the_operator_may_publish_again_what_is_queued(inbox):
    inbox.put("a.jpg")
    inbox.publish()
    assert inbox.publish("--ignore-leases") == numbers(discovered=1, published=1)
    assert inbox.publish() == numbers(discovered=1, already_queued=1)
    assert inbox.ready() == 2


@pytest.mark.case("C001")
@pytest.mark.case("C004")
def test_a_file_that_came_without_any_notice_is_published_by_the_next_scan_exactly_once(inbox):
    inbox.put("a.jpg")
    inbox.publish()
    inbox.put("new/b.jpg")
    assert inbox.publish() == numbers(discovered=2, published=1, already_queued=1)
    assert inbox.publish() == numbers(discovered=2, already_queued=2)
    assert inbox.ready() == 2


@pytest.mark.case("C005")
def test_ten_scans_over_a_completed_inbox_publish_nothing(completed):
    for _ in range(10):
        assert completed.publish() == numbers(discovered=3, skipped=3)
    assert completed.ready() == 0


def test_a_rescan_opens_no_unchanged_source_or_cache(completed):
    opened = []
    completed.publish()
    sys.addaudithook(lambda event, args: event == "open" and opened.append(str(args[0])))
    assert completed.publish() == numbers(discovered=3, skipped=3)
    assert any(".ledger-volume" in path for path in opened)
    assert not [path for path in opened if ".jpg" in path]


def test_of_a_finished_folder_only_the_change_is_found(completed):
    completed.publish()
    completed.put("d/b.jpg", b"another content")
    completed.put("d/new.jpg")
    (completed.root / "d/c.jpg").unlink()
    assert completed.publish() == numbers(discovered=3, skipped=1, published=2)
    rows = completed.sql("SELECT path FROM ingest.source_index WHERE kind = 'source' ORDER BY 1")
    assert rows == [("d/a.jpg",), ("d/b.jpg",), ("d/new.jpg",)]


def test_a_finished_folder_with_other_files_counts_them_as_before(completed):
    completed.publish()
    completed.put("d/notes.txt")
    (completed.root / "d/bad\\name.jpg").touch()
    assert completed.publish() == completed.publish() == numbers(discovered=5, skipped=4, invalid=1)


@pytest.mark.parametrize("status", ["succeeded", "review_required"])
def test_a_lost_cache_becomes_exactly_one_v2_with_the_derived_id(inbox, status):
    path = inbox.put("d/a.jpg")
    inbox.publish()
    inbox.empty_queue()
    inbox.complete_all(status)
    assert inbox.publish() == numbers(discovered=1, published=1, cache_missing=1)
    assert inbox.publish() == numbers(discovered=1, already_queued=1)
    ((completed_at,),) = inbox.sql("SELECT completed_at FROM ingest.receipt_processing_status")
    assert inbox.bodies() == [
        {
            "version": 2,
            "source_sha256": sha256_of(path),
            "source_reference": "d/a.jpg",
            "attempt": 1,
            "request_id": missing_cache_request(sha256_of(path), "d/a.jpg", completed_at),
        }
    ]


def test_a_cache_of_another_source_is_missing(completed):
    completed.publish()
    put_cache(completed, "d/a.jpg", source="f" * 64)
    assert completed.publish() == numbers(discovered=3, skipped=2, published=1, cache_missing=1)


def test_a_damaged_cache_is_missing_and_is_repaired_whatever_the_old_attempts(completed):
    completed.sql("UPDATE ingest.receipt_processing_status SET attempts = 3")
    (completed.cache / "d/a.jpg.json").write_text("{")
    assert completed.publish() == numbers(discovered=3, skipped=2, published=1, cache_missing=1)


def test_a_legacy_cache_named_by_hash_counts_as_present(completed):
    (completed.cache / "d/a.jpg.json").unlink()
    put_cache(completed, "d/a.jpg", at=f"{sha256_of(completed.root / 'd/a.jpg')}.json")
    assert completed.publish() == numbers(discovered=3, skipped=3)


@pytest.mark.case("C015")
def test_two_copies_of_one_file_are_one_receipt_and_both_paths_are_kept(inbox):
    path = inbox.put("a/one.jpg", b"same")
    inbox.put("b/two.jpg", b"same")
    assert inbox.publish() == numbers(discovered=2, published=1, already_queued=1)
    assert inbox.ready() == 1
    rows = inbox.sql("SELECT source_reference, source_sha256 FROM ingest.receipt_paths ORDER BY 1")
    assert rows == [("a/one.jpg", sha256_of(path)), ("b/two.jpg", sha256_of(path))]
    inbox.complete_all()
    put_cache(inbox, "b/two.jpg")
    assert inbox.publish() == numbers(discovered=2, skipped=2)


def test_copies_are_published_once_even_when_leases_are_ignored(inbox):
    for name in "abcd":
        inbox.put(f"{name}.jpg", b"same")
    assert inbox.publish("--ignore-leases") == numbers(discovered=4, published=1, already_queued=3)


def test_failed_receipts_are_tried_again_until_they_are_exhausted(inbox):
    failed, terminal, spent = (inbox.put(f"{name}.jpg") for name in ("failed", "terminal", "spent"))
    inbox.publish()
    inbox.fail(sha256_of(failed), "TIMEOUT", terminal=False, attempts=2)
    inbox.fail(sha256_of(terminal), "PDF_ENCRYPTED", terminal=True)
    inbox.fail(sha256_of(spent), "TIMEOUT", terminal=False, attempts=3)
    assert inbox.publish() == numbers(discovered=3, published=1, exhausted=2)


def test_an_open_dead_letter_of_either_family_exhausts_until_it_is_settled(inbox):
    path = inbox.put("a.jpg")
    inbox.publish()
    inbox.sql("UPDATE ingest.publications SET state='ended', ended_at=now(), end_reason='failed'")
    inbox.sql(
        "INSERT INTO budget.dead_letters (id, family, source_sha256, code, dead_at) "
        "VALUES (gen_random_uuid(), 'ocr.results.v1', %s, 'CONTRACT_INVALID', now())",
        sha256_of(path),
    )
    assert inbox.publish() == numbers(discovered=1, exhausted=1)
    inbox.sql("UPDATE budget.dead_letters SET state='purged', settled_at=now()")
    assert inbox.publish() == numbers(discovered=1, published=1)


@pytest.mark.parametrize("code", ["SOURCE_MISSING", "HASH_MISMATCH"])
def test_a_failure_of_the_path_is_over_when_the_content_is_found_again(inbox, code):
    path = inbox.put("a.jpg")
    inbox.publish()
    inbox.fail(sha256_of(path), code)
    assert inbox.publish() == numbers(discovered=1, exhausted=1)
    content = path.read_bytes()
    path.unlink()
    assert inbox.publish() == numbers()
    inbox.put("b.jpg", content)
    assert inbox.publish() == numbers(discovered=1, published=1)


def test_a_receipt_that_is_not_complete_any_more_at_the_second_look_is_left_alone(inbox, database):
    """The two looks of one scan, with a change between them: the claim itself refuses."""
    from ledger_tasks.storage.database import connect, transaction
    from ledger_tasks.storage.publications import Lease, plan_leases

    path = inbox.put("a.jpg")
    inbox.publish()
    inbox.complete_all()
    ((seen,),) = inbox.sql("SELECT completed_at FROM ingest.receipt_processing_status")
    lease = Lease(sha256_of(path), "840023b1-a078-4914-b074-81bd7129bb75", "9b28fe12-eac0-527d-8e07-aa79c74ad998", seen)
    inbox.sql("UPDATE ingest.receipt_processing_status SET status='processing', completed_at=NULL")
    from pydantic import SecretStr

    engine = connect(SecretStr(database.url_of("ledger_publisher")))
    with transaction(engine) as connection:
        assert plan_leases(connection, [lease]) == set()
    inbox.sql("UPDATE ingest.receipt_processing_status SET status='succeeded', completed_at=%s", seen)
    with transaction(engine) as connection:
        assert plan_leases(connection, [lease]) == {lease.publication}
    engine.dispose()


def test_bad_files_are_isolated_and_counted(inbox, tmp_path):
    inbox.put("good.jpg")
    inbox.put("empty.pdf", b"")
    inbox.put("notes.txt")
    inbox.put(".hidden.jpg")
    inbox.put("._apple.jpg")
    (tmp_path / "outside.jpg").write_bytes(b"x")
    (inbox.root / "leaves.jpg").symlink_to(tmp_path / "outside.jpg")
    (inbox.root / os.fsdecode(b"caf\xe9.jpg")).touch()
    ran = inbox.run("receipts", "publish")
    assert ran.code == 0
    assert ran.json == numbers(discovered=5, published=2, skipped=1, invalid=2)
    assert "leaves.jpg: a symbolic link leaves the receipt root" in ran.err
    assert "not UTF-8" in ran.err


@pytest.mark.case("C002")
def test_a_file_that_grows_is_not_published_until_it_is_quiet(inbox):
    path = inbox.put("slow.pdf", b"%PDF")
    stop = threading.Event()

    def write():
        while not stop.wait(0.1):
            with path.open("ab") as file:
                file.write(b"x" * 65536)

    writer = threading.Thread(target=write)
    writer.start()
    process = inbox.start("receipts", "publish", RECEIPT_QUIET_SECONDS="0.2")
    deadline = time.monotonic() + 30
    while not inbox.sql("SELECT 1 FROM pg_stat_activity WHERE usename = 'ledger_publisher'"):
        assert time.monotonic() < deadline
    time.sleep(1.5)  # the writer goes on for longer than one quiet time: that is the fault of this test
    assert process.poll() is None
    stop.set()
    writer.join()
    out, err = process.communicate(timeout=60)
    assert json.loads(out) == numbers(discovered=1, published=1), err
    assert [body["source_sha256"] for body in inbox.bodies()] == [sha256_of(path)]


@pytest.mark.case("C006")
def test_a_half_written_file_and_the_whole_one_are_two_receipts_and_the_whole_one_is_queued(inbox):
    path = inbox.put("a.pdf", b"%PDF half")
    inbox.publish()
    inbox.fail(sha256_of(path), "PDF_CORRUPT")
    path.write_bytes(b"%PDF half and whole")
    assert inbox.publish() == numbers(discovered=1, published=1)
    assert inbox.bodies()[-1]["source_sha256"] == sha256_of(path)


def test_a_file_that_is_replaced_is_read_again_although_size_and_time_are_the_same(inbox):
    path = inbox.put("a.jpg", b"first")
    inbox.publish()
    before = path.stat()
    path.write_bytes(b"other")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert inbox.publish() == numbers(discovered=1, published=1)


@pytest.mark.case("C024")
@pytest.mark.trap(32)
def test_of_two_scans_at_once_one_runs_and_the_other_says_locked(inbox):
    from pydantic import SecretStr

    from ledger_tasks.storage.database import connect
    from ledger_tasks.storage.scanning import scanning

    inbox.put("a.jpg")
    engine = connect(SecretStr(inbox.environment["DATABASE_URL"]))
    with scanning(engine) as view:
        assert view is not None
        ran = inbox.run("receipts", "publish")
        assert (ran.code, "locked" in ran.out, "locked" in ran.err) == (0, True, True)
        assert inbox.sql("SELECT 1 FROM ingest.publications") == []
    assert inbox.sql("SELECT 1 FROM pg_locks WHERE locktype = 'advisory'") == [], "its connection lives on, pooled"
    engine.dispose()
    assert inbox.publish() == numbers(discovered=1, published=1)


def test_two_scans_started_together_publish_each_receipt_once(inbox):
    for number in range(200):
        inbox.put(f"d/{number}.jpg")
    together = [inbox.start("receipts", "publish") for _ in range(2)]
    assert [process.wait(60) for process in together] == [0, 0]
    for process in together:
        process.communicate()
    inbox.publish()
    assert inbox.ready() == 200


def test_a_broker_that_lost_its_data_is_refilled(inbox):
    for name in "ab":
        inbox.put(f"{name}.jpg")
    inbox.publish()
    for queue in ("receipts.v1.work", "ledger.v1.epoch"):
        inbox.delete_queue(queue)
    assert inbox.publish() == numbers(discovered=2, published=2)
    assert inbox.ready("ledger.v1.epoch") == 1
    assert inbox.publish() == numbers(discovered=2, already_queued=2)


def test_a_lease_that_was_planned_and_never_confirmed_ends_after_five_minutes(inbox):
    inbox.put("a.jpg")
    inbox.publish()
    inbox.sql("UPDATE ingest.publications SET state='planned', confirmed_at=NULL, planned_at=now() - interval '200 s'")
    assert inbox.publish() == numbers(discovered=1, already_queued=1)
    inbox.sql("UPDATE ingest.publications SET planned_at=now() - interval '301 s'")
    assert inbox.publish() == numbers(discovered=1, published=1)


def test_a_confirmed_lease_ends_after_lease_seconds(inbox):
    inbox.put("a.jpg")
    inbox.publish()
    inbox.sql("UPDATE ingest.publications SET confirmed_at=now() - interval '50 s'")
    assert inbox.publish(LEASE_SECONDS="60") == numbers(discovered=1, already_queued=1)
    assert inbox.publish(LEASE_SECONDS="40") == numbers(discovered=1, published=1)


def test_a_publication_carries_its_uuid_and_the_fixed_properties(inbox, broker):
    from kombu import Connection

    path = inbox.put("a.jpg")
    inbox.publish()
    ((publication,),) = inbox.sql("SELECT publication::text FROM ingest.publications WHERE state='confirmed'")
    with Connection(broker.url) as connection, connection.channel() as channel:
        message = channel.basic_get("receipts.v1.work", no_ack=True)
    assert {name: value for name, value in message.headers.items() if name != "x-delivery-count"} == {
        "x-ledger-publication": publication
    }
    properties = message.properties
    assert properties["message_id"] == f"receipt.v1:{sha256_of(path)}"
    assert properties["type"] == "receipt.process.v1"
    assert properties["delivery_mode"] == 2
    assert (message.content_type, message.content_encoding) == ("application/json", "utf-8")


def test_the_root_may_be_given_as_an_argument(inbox, tmp_path):
    inbox.put("a.jpg")
    assert inbox.publish(str(inbox.root), RECEIPT_SOURCE_ROOT="/nowhere") == numbers(discovered=1, published=1)


def test_a_root_that_is_no_folder_is_a_usage_error(inbox, tmp_path):
    assert inbox.run("receipts", "publish", str(tmp_path / "gone")).code == 2


def test_a_root_that_is_not_the_one_of_this_cache_is_refused(inbox, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.jpg").write_bytes(b"x")
    ran = inbox.run("receipts", "publish", str(other))
    assert ran.code == 7
    assert ran.out == ""


def test_a_root_that_is_not_mounted_is_refused_and_its_mount_point_stays_empty(completed, tmp_path):
    mounted = completed.root.rename(tmp_path / "elsewhere")
    completed.root.mkdir()
    assert completed.run("receipts", "publish").code == 7
    assert list(completed.root.iterdir()) == []
    completed.root.rmdir()
    mounted.rename(completed.root)
    assert completed.publish()["skipped"] == 3


@pytest.mark.parametrize(
    "words", [("receipts", "publish"), ("ocr-cache", "rebuild"), ("receipts", "reprocess", "d/a.jpg")]
)
def test_a_cache_that_is_not_mounted_is_refused_and_its_mount_point_stays_empty(completed, tmp_path, words):
    mounted = completed.cache.rename(tmp_path / "elsewhere")
    completed.cache.mkdir()
    ran = completed.run(*words)
    assert (ran.code, ran.out) == (7, "")
    assert "ledger doctor --init" in ran.err
    assert list(completed.cache.iterdir()) == []
    completed.cache.rmdir()
    mounted.rename(completed.cache)
    assert completed.publish() == numbers(discovered=3, skipped=3)


def test_a_cache_that_is_really_new_is_said_to_be_so_and_every_cache_is_asked_for_again(completed, tmp_path):
    completed.cache.rename(tmp_path / "lost")
    completed.cache.mkdir()
    assert completed.run("receipts", "publish").code == 7
    completed.run("doctor", "--init")
    assert completed.publish() == numbers(discovered=3, published=3, cache_missing=3)


def test_a_cache_that_is_new_before_the_first_receipt_was_done_needs_no_word(inbox, tmp_path):
    inbox.cache.rename(tmp_path / "unused")
    inbox.put("a.jpg")
    assert inbox.publish() == numbers(discovered=1, published=1)
