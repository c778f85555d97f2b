"""Requirements: Новая попытка обработки файла; Изоляция новой попытки; Конкурентные запросы повтора."""

import threading

import pytest
from sqlalchemy import text

from ledger_tasks.recognition import retry as module
from ledger_tasks.recognition.retry import NotRetryable, Retried, retry_file, retry_files
from tests.support.recognition import Core, envelope, wait_until

FRESH = (
    "published_at",
    "started_at",
    "finished_at",
    "reply_deadline",
    "request_msg_id",
    "request_subject",
    "service_name",
    "service_version",
    "error_code",
    "error_message",
    "result_schema_version",
    "result_s3_object_id",
    "result_msg_id",
    "result_digest",
    "statements_version",
)


@pytest.fixture
def failed(core):
    """Return (job id, file id) of an attempt that ended in timeout."""

    def fail(**columns):
        job_id = core.published(**columns)
        core.age(job_id, "reply_deadline", 1000)
        core.watch()
        return job_id, core.file(job_id)["id"]

    return fail


def test_a_retry_after_no_ack(core):
    """Scenario: Повтор после NO_ACK."""
    job_id = core.published()
    for _ in range(4):
        core.age(job_id, "published_at", 31)
        core.publish()
    before, file = core.job(job_id), core.file(job_id)
    assert before["error_code"] == "NO_ACK"
    objects = core.sql("SELECT * FROM recognition.s3_object")
    retried = retry_file(core.exchange.engine, str(file["id"]), "operator")
    assert isinstance(retried, Retried)
    job, now = core.job(retried.job_id), core.file(job_id)
    assert (job["status"], job["attempt"], job["pipeline"], job["max_attempts"]) == ("queued", 2, "tabular", 3)
    assert all(job[name] is None for name in FRESH)
    assert job["metrics"] == {}
    assert job["requested_at"] > before["requested_at"]
    fresh = {"status": "UPLOADED", "current_recognition_job_id": job["id"], "error_code": None, "error_message": None}
    assert now == file | fresh
    assert core.job(job_id) == before
    assert core.sql("SELECT * FROM recognition.s3_object") == objects
    (audit,) = core.sql("SELECT * FROM recognition.audit_event")
    assert (audit["actor"], audit["action"], audit["file_id"], audit["job_id"]) == (
        "operator",
        "retry",
        file["id"],
        job["id"],
    )


def test_an_old_answer(core, bus, failed, caplog):
    """Scenario: Старый ответ."""
    job_id, file_id = failed()
    retried = retry_file(core.exchange.engine, str(file_id), "operator")
    before = core.job(job_id), core.job(retried.job_id), core.file(job_id)
    subject = core.settings.subjects["result"]
    with core.inbox():
        bus.send(subject, envelope(job_id, "processing"), f"ack:{job_id}:1")
        bus.send(subject, envelope(job_id, "done"), f"result:{job_id}:1")
    core.map()
    assert (core.job(job_id), core.job(retried.job_id), core.file(job_id)) == before
    assert core.sql("SELECT 1 FROM recognition.document") == []
    assert "late acknowledgement: the job is timeout" in caplog.text
    assert "late result: the job is timeout" in caplog.text


def test_publication_after_nats_was_unavailable(core, failed, tmp_path):
    """Scenario: Публикация после недоступности NATS."""
    job_id, file_id = failed()
    retried = retry_file(core.exchange.engine, str(file_id), "operator")
    Core(core.settings.database_url.get_secret_value(), "nats://127.0.0.1:1", tmp_path).publish()
    assert core.job(retried.job_id)["status"] == "queued"
    core.publish()
    job = core.job(retried.job_id)
    assert job["status"] == "published"
    assert job["request_msg_id"] == f"{retried.job_id}:2"
    assert job["reply_deadline"] > core.job(job_id)["reply_deadline"]


def test_pressed_twice(core, failed):
    """Scenario: Двойное нажатие, with eight at once: one new attempt, seven refusals."""
    _, file_id = failed()
    outcomes = []
    pressing = [
        threading.Thread(target=lambda: outcomes.append(retry_file(core.exchange.engine, str(file_id), "operator")))
        for _ in range(8)
    ]
    for each in pressing:
        each.start()
    for each in pressing:
        each.join()
    assert sum(isinstance(each, Retried) for each in outcomes) == 1
    assert outcomes.count(NotRetryable(str(file_id), "IN_PROGRESS")) == 7
    attempts = core.sql("SELECT attempt FROM recognition.recognition_job ORDER BY attempt")
    assert attempts == [{"attempt": 1}, {"attempt": 2}]
    assert len(core.sql("SELECT 1 FROM recognition.audit_event")) == 1


def test_pressed_twice_in_a_batch(core, failed):
    """Scenario: Двойное нажатие: the batch marks the file skipped."""
    _, file_id = failed()
    unknown = "5b0b6b43-7a2f-4f1c-9d0c-0d6f6c1f2a11"
    assert len(retry_files(core.exchange.engine, [str(file_id)], "operator")[0]) == 1
    retried, skipped = retry_files(core.exchange.engine, [str(file_id), unknown], "operator")
    assert retried == []
    assert skipped == [(str(file_id), "FILE_NOT_RETRYABLE"), (unknown, "FILE_NOT_FOUND")]


def test_a_rollback_takes_the_new_attempt_the_pointer_and_the_audit_together(core, failed, monkeypatch):
    job_id, file_id = failed()
    before = core.file(job_id)

    def broken(*_):
        raise ZeroDivisionError

    with monkeypatch.context() as patched:
        patched.setattr(module, "insert_audit", broken)
        with pytest.raises(ZeroDivisionError):
            retry_file(core.exchange.engine, str(file_id), "operator")
    assert core.file(job_id) == before
    assert len(core.sql("SELECT 1 FROM recognition.recognition_job")) == 1
    assert core.sql("SELECT 1 FROM recognition.audit_event") == []


def test_the_limit_of_attempts(core, failed):
    _, file_id = failed(max_attempts=1)
    assert retry_file(core.exchange.engine, str(file_id), "operator") == NotRetryable(str(file_id), "MAX_ATTEMPTS")


@pytest.mark.parametrize("status", ["queued", "published", "processing"])
def test_an_attempt_in_progress_is_not_retried(core, bus, status):
    job_id = core.add_job() if status == "queued" else core.published()
    if status == "processing":
        with core.inbox():
            bus.send(core.settings.subjects["result"], envelope(job_id, "processing"))
            core.wait_for(job_id, "processing")
    file_id = str(core.file(job_id)["id"])
    assert retry_file(core.exchange.engine, file_id, "operator") == NotRetryable(file_id, "IN_PROGRESS")


def test_a_mapping_error_can_be_retried_and_a_success_cannot(core, bus):
    job_id = core.published()
    with core.inbox():
        bus.send(core.settings.subjects["result"], envelope(job_id, "done"))
        core.wait_for(job_id, "done")
    file_id = str(core.file(job_id)["id"])
    assert retry_file(core.exchange.engine, file_id, "operator") == NotRetryable(file_id, "NOT_FAILED")
    core.map()
    assert isinstance(retry_file(core.exchange.engine, file_id, "operator"), Retried)
    assert core.file(job_id)["mapping_error"] is None


def test_a_retry_that_waited_for_its_attempt_to_fail_is_requested_after_the_failure(core):
    job_id = core.published()
    file_id = str(core.file(job_id)["id"])
    with core.exchange.engine.connect() as watcher:
        watcher.execute(text("SELECT 1 FROM recognition.recognition_job FOR UPDATE"))
        retry = threading.Thread(target=retry_file, args=(core.exchange.engine, file_id, "operator"))
        retry.start()
        wait_until(lambda: core.sql("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"))
        failure = "error_code = 'TIMEOUT'"
        watcher.execute(
            text(
                f"UPDATE recognition.recognition_job SET status = 'timeout', finished_at = clock_timestamp(), {failure}"
            )
        )
        watcher.execute(text(f"UPDATE recognition.stored_file SET status = 'ERROR', {failure}"))
        watcher.commit()
        retry.join()
    first, second = core.sql("SELECT * FROM recognition.recognition_job ORDER BY attempt")
    assert second["requested_at"] > first["finished_at"]


@pytest.mark.case("C104")
def test_a_batch_retries_only_the_files_it_names(core, failed):
    named, other = failed()[1], failed()[1]
    retried, skipped = retry_files(core.exchange.engine, [str(named)], "operator")
    assert ([each.file_id for each in retried], skipped) == ([str(named)], [])
    assert core.sql("SELECT status FROM recognition.stored_file WHERE id = :id", id=other) == [{"status": "ERROR"}]
