"""Requirement: Приём конвертов и результатов обоих MAJOR контракта; and what the mapper makes of result files."""

import json
from decimal import Decimal
from pathlib import Path

import pytest

import contracts.recognition as package
from ledger_tasks.objects.store import StoreAway
from tests.support.recognition import BUCKET, envelope, result_address

EXAMPLES = Path(package.__file__).parent / "examples"
STRUCTURED = {
    "code": "JSON_FAILED",
    "severity": "error",
    "message": "лист 2",
    "locator": {"sheet": "ОСВ 60", "row": 14},
}
LEGACY = {"code": "LEGACY_WARNING", "severity": "info", "message": "sheet=ОСВ 60 строки без родителя", "locator": None}


def example(name):
    return json.loads((EXAMPLES / name).read_text(encoding="utf-8"))


@pytest.fixture
def answer(core, bus):
    def send(job_id, status, version, **rest):
        kind = "ack" if status == "processing" else "result"
        bus.send(core.settings.subjects["result"], envelope(job_id, status, version, **rest), f"{kind}:{job_id}:1")

    return send


@pytest.fixture
def finished(core, answer):
    """Return a job that ended with a result file of the given content."""

    def finish(content, status="done", version="2.0", **rest):
        job_id = core.published()
        address = result_address(job_id, core.file(job_id)["id"])
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        if body:
            core.exchange.store.put(address["bucket"], address["key"], body)
        with core.inbox():
            answer(job_id, status, version, result_s3=address, **rest)
            core.wait_for(job_id, status)
        return job_id

    return finish


def documents(core, job_id):
    return core.sql("SELECT * FROM recognition.document WHERE recognition_job_id = :id ORDER BY title", id=job_id)


def test_an_acknowledgement_of_a_new_service(core, answer):
    """Scenario: Ack нового сервиса."""
    job_id = core.published()
    with core.inbox():
        answer(job_id, "processing", "2.0")
        assert core.wait_for(job_id, "processing")["service_name"] == "tabular-parser"
    assert core.file(job_id)["status"] == "PROCESSING"


def test_warnings_of_1_x_are_wrapped(core, answer):
    """Scenario: Предупреждения 1.x оборачиваются."""
    job_id = core.published()
    with core.inbox():
        answer(job_id, "done", "1.0", metrics={"warnings": [LEGACY["message"]]})
        job = core.wait_for(job_id, "done")
    assert job["metrics"]["warnings"] == [LEGACY]
    assert job["statements_version"] is None


def test_warnings_of_2_0_are_kept_as_they_came(core, answer):
    """Scenario: Предупреждения 2.0 сохраняются как пришли."""
    job_id = core.published()
    with core.inbox():
        answer(job_id, "done", "2.0", metrics={"warnings": [STRUCTURED]})
        job = core.wait_for(job_id, "done")
    assert job["metrics"]["warnings"] == [STRUCTURED]
    assert job["statements_version"] == "2026.1"


def test_an_unknown_major(core, answer, caplog):
    """Scenario: Неизвестный MAJOR."""
    job_id = core.published()
    before = core.job(job_id)
    with core.inbox():
        answer(job_id, "done", "3.0")
    assert core.job(job_id) == before
    line = next(each for each in caplog.records if "unknown MAJOR 3" in each.getMessage())
    assert line.levelname == "WARNING"


def test_a_result_of_2_0_is_read_by_the_mapper_of_2_0(core, finished):
    """Scenario: Результат 2.0 разбирает маппер 2.0 (2.0)."""
    job_id = finished(example("v2/recognition-result.json"), metrics={"warnings": [LEGACY]})
    assert core.map() == 1
    (document,) = documents(core, job_id)
    assert (document["kind"], document["title"], document["currency"]) == ("osv", "ОСВ", "RUB")
    assert (str(document["period_from"]), str(document["period_to"])) == ("2026-01-01", "2026-03-31")
    (row,) = core.sql("SELECT * FROM recognition.document_row WHERE document_id = :id", id=document["id"])
    assert (row["position"], row["account"], row["opening_credit"]) == (1, "60.01", Decimal("1200.00"))
    assert (row["opening_debit"], row["turnover_debit"]) == (None, Decimal("300.50"))
    job = core.job(job_id)
    assert job["metrics"]["warnings"] == [LEGACY, example("v2/recognition-result.json")["warnings"][0]]
    assert job["statements_version"] == "2026.1"
    assert core.file(job_id)["status"] == "PROCESSED"
    assert core.map() == 0


def test_a_result_of_1_x_is_still_read_by_the_mapper_of_1_x(core, finished):
    """Scenario: Результат 2.0 разбирает маппер 2.0 (1.x)."""
    job_id = finished(example("v1/recognition-result.json"), status="needs_check", version="1.0")
    assert core.map() == 1
    (document,) = documents(core, job_id)
    assert (document["currency"], document["period_from"]) == (None, None)
    assert core.job(job_id)["metrics"]["warnings"] == [LEGACY]
    assert core.file(job_id)["status"] == "NEEDS_CHECK"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "absent"),
        (b"{", "not valid JSON"),
        (b'{"schema_version": "3.0"}', "unknown MAJOR 3"),
        (b'{"schema_version": "2.0", "service": {"name": "p", "version": "1"}}', "statements"),
        (b" " * 5000 + b"{}", "too large"),
    ],
)
def test_a_bad_result_file_gives_a_mapping_error_and_never_a_document(core, finished, content, reason):
    job_id = finished(content)
    good = finished(example("v2/recognition-result.json"))
    assert core.with_settings(recognition_max_result_bytes=4096).map() == 2
    file = core.file(job_id)
    assert (file["status"], file["error_code"]) == ("ERROR", None)
    assert reason in file["mapping_error"]
    assert core.job(job_id)["status"] == "done"
    assert documents(core, job_id) == []
    assert core.file(good)["status"] == "PROCESSED"


def test_a_success_without_a_result_gives_a_mapping_error(core, answer):
    job_id = core.published()
    with core.inbox():
        answer(job_id, "done", "2.0")
        core.wait_for(job_id, "done")
    core.map()
    assert core.file(job_id)["mapping_error"] == "the service named no result"
    assert core.sql("SELECT 1 FROM recognition.s3_object WHERE bucket_role = 'results'") == []


@pytest.mark.parametrize("key", ["../../../etc/passwd", "a//b", "/etc/passwd", "results/../../x"])
def test_a_result_key_cannot_leave_its_bucket(core, answer, key):
    job_id = core.published()
    with core.inbox():
        answer(job_id, "done", "2.0", result_s3={"bucket": BUCKET, "key": key})
        core.wait_for(job_id, "done")
    core.map()
    assert core.file(job_id)["mapping_error"] == "the result is absent"


def test_a_store_that_is_away_is_waited_for(core, finished, monkeypatch):
    job_id = finished(example("v2/recognition-result.json"))

    def away(*_):
        raise StoreAway("connection refused")

    with monkeypatch.context() as broken:
        broken.setattr(type(core.exchange.store), "get", away)
        assert core.map() == 0
    assert core.file(job_id)["status"] == "PROCESSING"
    core.map()
    assert core.file(job_id)["status"] == "PROCESSED"


def test_a_tick_asks_a_store_that_is_away_three_times_and_leaves_the_rest_to_the_next(core, finished, monkeypatch):
    jobs = [finished(example("v2/recognition-result.json")) for _ in range(4)]
    asked = []

    def away(_store, _bucket, key, _limit):
        asked.append(key)
        raise StoreAway("timeout")

    with monkeypatch.context() as broken:
        broken.setattr(type(core.exchange.store), "get", away)
        core.map()
    assert len(asked) == 3
    assert core.map() == len(jobs)


def test_text_with_nul_in_a_result_file_is_cleaned_and_stored(core, finished):
    content = example("v2/recognition-result.json")
    content["statements"][0]["rows"][0]["name"] = "a\0b"
    job_id = finished(content)
    core.map()
    rows = core.sql("SELECT name FROM recognition.document_row")
    assert rows == [{"name": "a\ufffdb"}]
    assert core.file(job_id)["status"] == "PROCESSED"
