"""Requirements: Ack сервиса переводит задание в processing; Inbox принимает результат идемпотентно."""

import asyncio
import sqlite3
import threading
import time

import pytest
from nats.errors import SlowConsumerError

from ledger_tasks.recognition import applier
from ledger_tasks.recognition.inbox import settle
from ledger_tasks.recognition.journal import Entry, Journal
from tests.support.recognition import envelope, result_address, wait_until

ERROR = {"code": "UNSUPPORTED_FORMAT", "message": "not a spreadsheet"}


@pytest.fixture
def answer(core, bus):
    """Publish one answer of a service: `answer(job_id, "done")`."""

    def send(job_id, status, version="1.0", header="as it should be", **rest):
        kind = "ack" if status == "processing" else "result"
        header = f"{kind}:{job_id}:1" if header == "as it should be" else header
        bus.send(core.settings.subjects["result"], envelope(job_id, status, version, **rest), header)

    return send


def snapshot(core, job_id):
    """All that an answer could change."""
    return core.job(job_id), core.file(job_id), core.sql("SELECT * FROM recognition.s3_object ORDER BY id")


def test_the_service_acknowledged(core, answer):
    """Scenario: Сервис подтвердил."""
    job_id = core.published()
    with core.inbox():
        answer(job_id, "processing")
        job = core.wait_for(job_id, "processing")
        answer(job_id, "processing")
    assert core.job(job_id) == job
    assert job["started_at"]
    assert (job["service_name"], job["service_version"]) == ("tabular-parser", "1.4.2")
    assert core.file(job_id)["status"] == "PROCESSING"


def test_a_successful_result(core, answer):
    """Scenario: Успешный результат."""
    job_id = core.published()
    address = result_address(job_id, core.file(job_id)["id"])
    with core.inbox():
        answer(job_id, "processing")
        answer(
            job_id, "done", result_s3=address, result_schema_version="1.0", metrics={"rows": 7, "republish_count": 99}
        )
        job = core.wait_for(job_id, "done")
    stored = core.sql("SELECT * FROM recognition.s3_object WHERE id = :id", id=job["result_s3_object_id"])[0]
    assert {"bucket": stored["bucket"], "key": stored["key"]} == address
    assert (stored["bucket_role"], stored["created_by"]) == ("results", "tabular-parser")
    assert job["result_msg_id"] == f"result:{job_id}:1"
    assert job["finished_at"] >= job["started_at"]
    assert job["metrics"] == {"rows": 7}
    assert job["result_schema_version"] == "1.0"
    assert core.file(job_id)["status"] == "PROCESSING"


def test_a_repeated_delivery(core, answer):
    """Scenario: Повторная доставка."""
    job_id = core.published()
    address = result_address(job_id, core.file(job_id)["id"])
    with core.inbox():
        answer(job_id, "done", result_s3=address)
        core.wait_for(job_id, "done")
        before = snapshot(core, job_id)
        answer(job_id, "done", result_s3=address)
    assert snapshot(core, job_id) == before


def test_an_error_of_the_service(core, answer):
    """Scenario: Ошибка сервиса."""
    job_id = core.published()
    with core.inbox():
        answer(job_id, "error", error=ERROR)
        job = core.wait_for(job_id, "error")
    assert (job["error_code"], job["error_message"]) == ("UNSUPPORTED_FORMAT", "not a spreadsheet")
    assert job["result_s3_object_id"] is None
    file = core.file(job_id)
    assert (file["status"], file["error_code"]) == ("ERROR", "UNSUPPORTED_FORMAT")


def test_a_result_after_the_timeout(core, answer, caplog):
    """Scenario: Результат пришёл после таймаута."""
    job_id = core.published()
    core.age(job_id, "reply_deadline", 1000)
    core.watch()
    before = snapshot(core, job_id)
    assert before[0]["status"] == "timeout"
    with core.inbox():
        answer(job_id, "done", result_s3=result_address(job_id, core.file(job_id)["id"]))
    assert snapshot(core, job_id) == before
    assert "late result: the job is timeout" in caplog.text


def test_an_unknown_job_is_logged(core, answer, caplog):
    with core.inbox():
        answer("5b0b6b43-7a2f-4f1c-9d0c-0d6f6c1f2a11", "done")
    assert "no such job" in caplog.text


def test_an_acknowledgement_of_a_queued_job_is_logged_and_changes_nothing(core, answer, caplog):
    job_id = core.add_job()
    before = snapshot(core, job_id)
    with core.inbox():
        answer(job_id, "processing")
    assert snapshot(core, job_id) == before
    assert "its publication was rolled back" in caplog.text


@pytest.mark.case("C100")
@pytest.mark.parametrize("status", ["queued", "published"])
def test_a_result_of_a_job_that_was_never_acknowledged_is_taken_and_ends_the_republications(core, answer, status):
    job_id = core.add_job()
    if status == "published":
        core.publish()
    with core.inbox():
        answer(job_id, "done")
        core.wait_for(job_id, "done")
    assert core.file(job_id)["status"] == "PROCESSING"
    assert core.publish() == 0


@pytest.mark.case("C097")
@pytest.mark.trap(29)
def test_an_acknowledgement_that_overtakes_the_publishers_commit_is_not_lost(core, answer):
    job_id = core.add_job()
    with core.inbox(), core.exchange.engine.connect() as publisher:
        publisher.exec_driver_sql(
            "UPDATE recognition.recognition_job SET status = 'published', published_at = now(), request_msg_id = 'x', "
            "request_subject = 'x', reply_deadline = now() + interval '900 s'"
        )
        answer(job_id, "processing")
        answer(job_id, "processing")
        time.sleep(0.3)  # the acknowledgement meets the lock
        publisher.commit()
        job = core.wait_for(job_id, "processing")
    assert job["metrics"] == {}


@pytest.mark.case("C092")
def test_a_job_that_somebody_holds_does_not_hold_up_the_others(core, answer):
    held, free = core.published(), core.published()
    with core.inbox(), core.exchange.engine.connect() as holder:
        holder.exec_driver_sql("SELECT 1 FROM recognition.recognition_job WHERE id = %(id)s FOR UPDATE", {"id": held})
        answer(held, "done")
        answer(free, "processing")
        core.wait_for(free, "processing", seconds=5)
        assert core.job(held)["status"] == "published"
        holder.rollback()
        core.wait_for(held, "done")


def test_a_file_that_somebody_holds_does_not_hold_up_the_others(core, answer):
    held, free = core.published(), core.published()
    file_id = core.file(held)["id"]
    with core.inbox(), core.exchange.engine.connect() as holder:
        holder.exec_driver_sql("SELECT 1 FROM recognition.stored_file WHERE id = %(id)s FOR UPDATE", {"id": file_id})
        answer(held, "done")
        answer(free, "processing")
        core.wait_for(free, "processing", seconds=5)
        holder.rollback()
        core.wait_for(held, "done")


def test_the_same_id_with_other_content_keeps_the_first_and_logs_both_digests(core, answer, caplog):
    job_id = core.published()
    with core.inbox():
        answer(job_id, "done", metrics={"rows": 1})
        job = core.wait_for(job_id, "done")
        answer(job_id, "done", metrics={"rows": 2})
    assert core.job(job_id) == job
    line = next(record.getMessage() for record in caplog.records if "same message id" in record.getMessage())
    assert job["result_digest"] in line
    assert len(set(line.split()) - {job["result_digest"]}) > 10


def test_a_result_without_its_header_is_known_by_its_digest(core, answer):
    job_id = core.published()
    with core.inbox():
        answer(job_id, "done", header=None)
        job = core.wait_for(job_id, "done")
    assert job["result_msg_id"] == f"sha256:{job['result_digest']}"


def test_the_address_of_an_upload_cannot_become_a_result(core, answer):
    job_id = core.published()
    upload = core.sql("SELECT bucket, key FROM recognition.s3_object WHERE bucket_role = 'uploads'")[0]
    with core.inbox():
        answer(job_id, "done", result_s3=upload)
        job = core.wait_for(job_id, "error")
    assert job["error_code"] == core.file(job_id)["error_code"] == "RESULT_KEY_CONFLICT"
    assert job["result_s3_object_id"] is None


def test_a_result_address_that_is_registered_already_is_used_again(core, answer):
    first, second = core.published(), core.published()
    address = result_address(first, core.file(first)["id"])
    with core.inbox():
        answer(first, "done", result_s3=address)
        answer(second, "done", result_s3=address)
        core.wait_for(second, "done")
        core.wait_for(first, "done")
    assert core.job(first)["result_s3_object_id"] == core.job(second)["result_s3_object_id"]


@pytest.mark.trap(33)
def test_text_that_postgresql_refuses_is_cleaned_and_stored(core, answer):
    job_id = core.published()
    with core.inbox():
        answer(job_id, "error", error={"code": "READ\0FAILED", "message": "at \0"}, metrics={"a\0": ["\0"]})
        job = core.wait_for(job_id, "error")
    assert (job["error_code"], job["error_message"]) == ("READ\ufffdFAILED", "at \ufffd")
    assert job["metrics"] == {"a\ufffd": ["\ufffd"]}


@pytest.mark.parametrize(
    "body",
    [b"", b"\xff", b"[]", b'{"schema_version": "1.0"}', b'{"schema_version": "3.0", "job_id": 1}', b"{" * 100_000],
)
def test_a_body_that_is_no_envelope_is_logged_and_blocks_nobody(core, bus, answer, caplog, body):
    job_id = core.published()
    with core.inbox():
        bus.send(core.settings.subjects["result"], body)
        answer(job_id, "processing")
        core.wait_for(job_id, "processing")
    assert "was dropped" in caplog.text


def test_an_answer_that_breaks_the_batch_is_dropped_alone(core, owner, caplog):
    good, bad = core.published(), core.published()
    entries = [Entry(1, f"result:{bad}:1", envelope(bad, "done")), Entry(2, f"result:{good}:1", envelope(good, "done"))]
    with owner.breaking_changes_of(bad):
        assert settle(core.exchange.engine, entries) == set()
    assert (core.job(bad)["status"], core.job(good)["status"]) == ("published", "done")
    assert "an answer cannot be stored: DataError" in caplog.text


@pytest.mark.case("C091")
def test_a_burst_of_20000_results_under_a_slow_database_loses_none(core, bus, monkeypatch):
    def slow(engine, entries):
        time.sleep(0.2)
        return settle(engine, entries)

    monkeypatch.setattr(applier, "settle", slow)
    jobs = [core.add_job() for _ in range(3)]
    core.publish()
    foreign = "5b0b6b43-7a2f-4f1c-9d0c-0d6f6c1f2a11"
    subject = core.settings.subjects["result"]
    burst = [(subject, envelope(foreign, "done"), f"result:{foreign}:{n}") for n in range(20_000)]
    with core.inbox() as inbox:
        for job_id in jobs:
            burst.insert(10_000, (subject, envelope(job_id, "done"), f"result:{job_id}:1"))
        bus.send_all(burst)
        for job_id in jobs:
            core.wait_for(job_id, "done", seconds=60)
        wait_until(lambda: inbox.backlog() == 0, 60)


@pytest.mark.case("C091")
def test_an_inbox_whose_client_dropped_messages_says_so_and_connects_anew(core, answer, caplog):
    job_id = core.published()
    with core.inbox() as inbox:
        before = inbox._link
        asyncio.run(before.note(SlowConsumerError(core.settings.subjects["result"], "", 1, None)))
        wait_until(lambda: inbox._link not in (None, before) and inbox.hears)
        answer(job_id, "processing")
        core.wait_for(job_id, "processing")
    assert "the inbox is deaf" in caplog.text
    assert "SlowConsumerError" in caplog.text


def test_a_journal_on_a_full_disk_keeps_answers_until_there_is_room(core, answer, monkeypatch, caplog):
    job_id = core.published()
    append, tries = Journal.append, iter([True, False])

    def full_once(journal, entries):
        if next(tries, False):
            raise sqlite3.OperationalError("database or disk is full")
        append(journal, entries)

    monkeypatch.setattr(Journal, "append", full_once)
    with core.inbox():
        answer(job_id, "processing")
        core.wait_for(job_id, "processing")
    assert "the journal cannot be written: database or disk is full" in caplog.text


def test_two_instances_of_the_core(core, bus, answer):
    """Scenario: Два инстанса ядра."""
    job_id = core.published()
    with core.inbox() as first, core.inbox() as second:
        answer(job_id, "done")
        core.wait_for(job_id, "done")
        assert (first._received, second._received) in {(0, 1), (1, 0)}


def test_an_inbox_that_stops_takes_what_is_on_its_way(core, bus):
    jobs = [core.add_job() for _ in range(20)]
    core.publish()
    subject = core.settings.subjects["result"]
    with core.inbox():
        bus.send_all([(subject, envelope(job_id, "done"), f"result:{job_id}:1") for job_id in jobs])
    assert {core.job(job_id)["status"] for job_id in jobs} == {"done"}


def test_two_results_of_one_job_at_once_make_one_change(core):
    job_id = core.published()
    outcomes = []

    def apply(version):
        entry = Entry(1, f"result:{job_id}:1", envelope(job_id, "done", metrics={"by": version}))
        held = settle(core.exchange.engine, [entry])
        while held:
            held = settle(core.exchange.engine, [entry])
        outcomes.append(version)

    both = [threading.Thread(target=apply, args=(name,)) for name in ("a", "b")]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert core.job(job_id)["status"] == "done"
    assert core.job(job_id)["metrics"]["by"] in {"a", "b"}
