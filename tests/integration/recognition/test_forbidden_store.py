"""A real S3 that refuses us (403): uploads leave nothing, results wait as long as a service may, and both are told."""

import json
import subprocess
import sysconfig
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from pydantic import SecretStr

from ledger_tasks.recognition.retry import Retried, retry_file
from ledger_tasks.web.app import create_app
from tests.support.recognition import Core, envelope, result_address, wait_until
from tests.support.serve import OPERATE, TOKENS

LEDGER = Path(sysconfig.get_path("scripts")) / "ledger"
RESULT = Path(__file__).parents[3] / "contracts/recognition/examples/v2/recognition-result.json"


def core_on(s3, core, folder, **changes):
    """The same core with its objects in S3."""
    given = {
        "object_store_url": "s3:",
        "object_store_bucket": s3.bucket,
        "aws_endpoint_url": s3.environment["AWS_ENDPOINT_URL"],
        "aws_access_key_id": SecretStr(s3.environment["AWS_ACCESS_KEY_ID"]),
        "aws_secret_access_key": SecretStr(s3.environment["AWS_SECRET_ACCESS_KEY"]),
    }
    address = core.settings.database_url.get_secret_value(), core.settings.nats_url.get_secret_value()
    return Core(*address, folder, **given | changes)


@pytest.fixture
def allowed(s3, core, tmp_path):
    return core_on(s3, core, tmp_path)


@pytest.fixture(params=["unknown key", "wrong secret"])
def refused(request, s3, core, tmp_path):
    """A core whose credentials the store does not take."""
    if request.param == "wrong secret":
        return core_on(s3, core, tmp_path, aws_secret_access_key=SecretStr("wrong"))
    return core_on(s3, core, tmp_path, aws_access_key_id=SecretStr("AKIAWRONG"))


@pytest.fixture
def finished(allowed, bus):
    """A job that ended with a result in S3."""
    job_id = allowed.published()
    address = result_address(job_id, allowed.file(job_id)["id"]) | {"bucket": allowed.settings.object_store_bucket}
    allowed.exchange.store.put(address["bucket"], address["key"], RESULT.read_bytes())
    with allowed.inbox():
        bus.send(allowed.settings.subjects["result"], envelope(job_id, "done", "2.0", result_s3=address))
        allowed.wait_for(job_id, "done")
    return job_id


def troubles(core):
    return {row["place"]: row["code"] for row in core.sql("SELECT * FROM recognition.trouble")}


def test_a_refused_result_waits_is_told_and_is_mapped_once_the_credentials_are_right(allowed, refused, finished):
    assert refused.map() == 0
    assert refused.file(finished)["status"] == "PROCESSING"
    assert troubles(refused)["map"] == "OBJECT_STORE_FORBIDDEN"
    assert allowed.map() == 1
    assert allowed.file(finished)["status"] == "PROCESSED"
    assert "map" not in troubles(allowed)


def test_a_result_refused_longer_than_a_service_may_take_ends_its_file_and_can_be_tried_again(refused, finished):
    refused.age(finished, "finished_at", 901)
    assert refused.map() == 1
    file = refused.file(finished)
    assert (file["status"], file["error_code"]) == ("ERROR", None)
    assert "OBJECT_STORE_FORBIDDEN" in file["mapping_error"]
    assert refused.job(finished)["status"] == "done"
    assert isinstance(retry_file(refused.exchange.engine, str(file["id"]), "operator"), Retried)


def test_the_doctor_says_that_the_store_refuses_us(allowed, refused):
    assert doctor(allowed) == ("ok", "")
    verdict, remedy = doctor(refused)
    assert verdict == "wrong"
    assert "Correct AWS_ACCESS_KEY_ID" in remedy


def doctor(core):
    words = [LEDGER, "doctor", "--json"]
    environment = core.environment | s3_environment(core) | {"PATH": "/usr/bin:/bin"}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    found = {each["check"]: each for each in json.loads(done.stdout)["findings"]}
    return found["object store"]["verdict"], found["object store"]["remedy"]


def test_a_store_that_is_away_is_waited_for_longer(core, allowed, finished, s3, tmp_path):
    away = core_on(s3, core, tmp_path, aws_endpoint_url="http://127.0.0.1:1")
    away.age(finished, "finished_at", 5000)
    assert away.map() == 0
    assert away.file(finished)["status"] == "PROCESSING"
    assert troubles(away)["map"] == "OBJECT_STORE_UNAVAILABLE"


def test_a_refused_upload_is_exit_7_with_its_remedy_and_leaves_nothing(refused, tmp_path):
    book = tmp_path / "osv.xlsx"
    book.write_bytes(b"PK")
    done = subprocess.run(
        [LEDGER, "recognition", "submit", str(book), "--pipeline", "tabular", "--json"],
        env=refused.environment | s3_environment(refused) | {"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 7, done.stderr
    assert "OBJECT_STORE_FORBIDDEN" in done.stderr
    assert "Correct AWS_ACCESS_KEY_ID" in done.stderr
    assert refused.sql("SELECT 1 FROM recognition.stored_file") == []


def test_a_refused_upload_over_http_is_503_and_stands_in_the_log(refused, caplog):
    settings = refused.settings.model_copy(update={"nats_enabled": False, "ledger_api_tokens": SecretStr(TOKENS)})
    with TestClient(create_app(settings, ended=lambda: None), raise_server_exceptions=False) as client:
        answer = client.post(
            "/api/files",
            files={"file": ("osv.xlsx", b"PK")},
            data={"pipeline": "tabular"},
            headers={"Authorization": f"Bearer {OPERATE}"},
        )
    assert (answer.status_code, answer.json()) == (503, {"code": "OBJECT_STORE_FORBIDDEN"})
    assert "OBJECT_STORE_FORBIDDEN" in caplog.text
    assert refused.sql("SELECT 1 FROM recognition.stored_file") == []


def test_our_service_says_that_it_may_not_read_the_file(allowed, refused, bus, run_role):
    environment = refused.environment | s3_environment(refused) | subjects_of(allowed)
    role = run_role("recognizer", "tabular", environment=environment, wait=False)
    wait_until(lambda: "listens on" in role.text(), 30)
    job_id = allowed.add_job()
    with allowed.inbox():
        allowed.publish()
        job = allowed.wait_for(job_id, "error", 30)
    assert job["error_code"] == "READ_FAILED"
    assert "OBJECT_STORE_FORBIDDEN" in job["error_message"]


def s3_environment(core):
    settings = core.settings
    return {
        "OBJECT_STORE_URL": "s3:",
        "OBJECT_STORE_BUCKET": settings.object_store_bucket,
        "AWS_ENDPOINT_URL": settings.aws_endpoint_url,
        "AWS_ACCESS_KEY_ID": settings.aws_access_key_id.get_secret_value(),
        "AWS_SECRET_ACCESS_KEY": settings.aws_secret_access_key.get_secret_value(),
    }


def subjects_of(core):
    return {name: value for name, value in core.environment.items() if name.startswith("OPENBAO__")}
