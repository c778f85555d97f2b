"""Our reference services over real NATS: acknowledge, read once, answer, and repeat themselves when asked again."""

import json
from pathlib import Path

import pytest

from tests.support.recognition import BUCKET, Core, wait_until

DATA = Path(__file__).parents[2] / "data"
BALANCE = DATA / "trial_balances" / "russian.xlsx"


@pytest.fixture
def service(core, run_role):
    """Start a service that is ready to listen: `service("tabular", "--contract", "1.0")`."""

    def start(*words, **environment):
        role = run_role("recognizer", *words, environment=core.environment | environment, wait=False)
        wait_until(lambda: "listens on" in role.text(), 30)
        return role

    return start


@pytest.fixture
def answers(core, bus):
    return bus.listen(core.settings.subjects["result"])


def store_source(core, job_id, path):
    """Put the file of a job where its request says that it lies."""
    found = core.sql("SELECT key FROM recognition.s3_object WHERE id = :id", id=core.file(job_id)["s3_object_id"])
    core.exchange.store.put(BUCKET, found[0]["key"], path.read_bytes())


def said(message):
    return message.message_id.split(":")[0], json.loads(message.body)["status"]


@pytest.mark.parametrize("contract", ["1.0", "2.0"])
def test_a_request_is_acknowledged_and_then_answered_with_a_result(core, service, answers, contract):
    service("tabular", "--contract", contract)
    job_id = core.add_job()
    store_source(core, job_id, BALANCE)
    core.publish()
    first, second = answers.get(timeout=20), answers.get(timeout=20)
    assert (said(first), said(second)) == (("ack", "processing"), ("result", "done"))
    body = json.loads(second.body)
    assert body["schema_version"] == contract
    assert body["service"]["name"] == "tabular-parser"
    assert ("statements_version" in body["service"]) == (contract == "2.0")
    assert body["result_s3"]["key"] == f"results/{core.file(job_id)['id']}/{job_id}/result.json"
    result = json.loads(core.exchange.store.get(**body["result_s3"], limit=10**6))
    assert ("statements" if contract == "2.0" else "documents") in result


def test_a_repeat_is_acknowledged_again_and_gets_the_same_answer(core, service, answers):
    service("tabular")
    job_id = core.add_job()
    store_source(core, job_id, BALANCE)
    core.publish()
    ack, result = answers.get(timeout=20), answers.get(timeout=20)
    core.age(job_id, "published_at", 31)
    core.publish()
    again = answers.get(timeout=20), answers.get(timeout=20)
    assert again[1] == result
    assert (said(again[0]), again[0].message_id) == (("ack", "processing"), ack.message_id)


def test_three_copies_of_one_request_make_one_result(core, bus, service):
    """Race: three copies of one request reach a service within a second; the database does not care."""
    service("tabular")
    requests = bus.listen(core.settings.subjects["tabular_request"])
    job_id = core.add_job()
    store_source(core, job_id, BALANCE)
    core.publish()
    request = requests.get(timeout=10)
    with core.inbox():
        bus.send_all([(request.subject, request.body, request.message_id)] * 3)
        core.wait_for(job_id, "done")
        core.map()
    assert core.file(job_id)["status"] == "PROCESSED"
    assert len(core.sql("SELECT 1 FROM recognition.s3_object WHERE bucket_role = 'results'")) == 1
    assert len(core.sql("SELECT 1 FROM recognition.document")) == 1


def test_a_source_that_is_absent_is_an_error(core, service, answers):
    service("tabular")
    core.published()
    assert said(answers.get(timeout=20)) == ("ack", "processing")
    body = json.loads(answers.get(timeout=20).body)
    assert (body["status"], body["error"]["code"]) == ("error", "READ_FAILED")


def test_two_services_share_the_work_and_a_killed_server_is_come_back_to(core, service, run_nats):
    server = run_nats()
    core = Core(core.settings.database_url.get_secret_value(), server.url, core.settings.recognition_spool_dir)
    roles = [service("tabular", **core.environment) for _ in range(2)]
    server.kill()
    wait_until(lambda: all("deaf" in role.text() for role in roles))
    server.start()
    wait_until(lambda: all(role.text().count("listens on") == 2 for role in roles), 30)
    jobs = [core.add_job() for _ in range(12)]
    for job_id in jobs:
        store_source(core, job_id, BALANCE)
    with core.inbox():
        core.publish()
        for job_id in jobs:
            core.wait_for(job_id, "done", 60)
    for role in roles:
        assert role.stop() == 0


def test_a_receipt_is_read_by_the_ocr_of_receipts(core, service, answers):
    picture = next(path for path in sorted((DATA / "receipts").rglob("*")) if path.suffix in {".jpg", ".png"})
    service("image", OCR_ENGINE="tesseract")
    job_id = core.add_job(pipeline="image", name=picture.name)
    store_source(core, job_id, picture)
    with core.inbox():
        core.publish()
        wait_until(lambda: core.job(job_id)["status"] in {"done", "needs_check"}, 60)
        core.map()
    (document,) = core.sql("SELECT * FROM recognition.document")
    assert document["kind"] in {"receipt", "text"}
    assert core.job(job_id)["service_name"] == "image-parser"
    assert core.sql("SELECT 1 FROM recognition.document_row")
