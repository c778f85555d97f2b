"""The HTTP API and the commands: who may do what, and what each answer holds."""

import json
import subprocess
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient
from pydantic import SecretStr

from ledger_tasks.web.app import create_app
from tests.support.serve import OPERATE, READ, TOKENS

LEDGER = Path(sysconfig.get_path("scripts")) / "ledger"
BOOK = ("osv.xlsx", b"PK workbook", "application/vnd.ms-excel")
NOBODY = "683631f8-656a-4046-8c99-cbdedb3da372"


@pytest.fixture
def web(core):
    settings = core.settings.model_copy(update={"nats_enabled": False, "ledger_api_tokens": SecretStr(TOKENS)})
    with TestClient(create_app(settings, ended=lambda: None), raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def operator(web):
    web.headers["Authorization"] = f"Bearer {OPERATE}"
    return web


def upload(client, **form):
    return client.post("/api/files", files={"file": form.pop("file", BOOK)}, data={"pipeline": "tabular"} | form)


@pytest.fixture
def failed(core):
    """Return a file whose current attempt timed out."""
    job_id = core.published()
    core.age(job_id, "reply_deadline", 1000)
    core.watch()
    return str(core.file(job_id)["id"])


def test_an_upload_stores_the_file_and_queues_its_job_in_one_transaction(core, operator):
    consolidation = str(uuid4())
    answer = upload(operator, consolidation_id=consolidation)
    assert answer.status_code == 201
    made = answer.json()
    assert made.keys() == {"file_id", "job_id", "status"}
    job, file = core.job(made["job_id"]), core.file(made["job_id"])
    assert (job["status"], made["status"]) == ("queued", "queued")
    assert (str(file["id"]), str(file["consolidation_id"])) == (made["file_id"], consolidation)
    stored = core.sql("SELECT * FROM recognition.s3_object")[0]
    assert (stored["bucket_role"], stored["size_bytes"]) == ("uploads", len(BOOK[1]))
    assert stored["key"] == f"uploads/{made['file_id']}/osv.xlsx"
    assert core.exchange.store.get(stored["bucket"], stored["key"], 1000) == BOOK[1]


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "..", "a\\..\\b", "отчёт за март.xlsx", "x" * 300 + ".xlsx", "con:*?.xlsx"]
)
def test_any_name_of_a_file_gives_a_key_inside_its_folder(core, operator, name):
    made = upload(operator, file=(name, b"x")).json()
    key = core.sql("SELECT key FROM recognition.s3_object")[0]["key"]
    assert key.startswith(f"uploads/{made['file_id']}/")
    assert ".." not in key.split("/")
    assert core.exchange.store.get("arm-ka", key, 10) == b"x"


@pytest.mark.parametrize(
    "form", [{"file": ("e.xlsx", b"")}, {"pipeline": "video"}, {"consolidation_id": "no uuid"}], ids=str
)
def test_an_unusable_upload_is_refused_and_leaves_nothing(core, operator, form):
    assert upload(operator, **form).status_code == 422
    assert core.sql("SELECT 1 FROM recognition.stored_file") == []


@pytest.mark.parametrize("token", [None, "", "wrong", f"{OPERATE}x"])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/files"),
        ("GET", f"/api/files/{NOBODY}"),
        ("GET", f"/api/jobs/{NOBODY}"),
        ("POST", "/api/files"),
        ("POST", f"/api/files/{NOBODY}/retry"),
        ("POST", "/api/files/retry"),
    ],
)
def test_nothing_is_told_without_a_valid_token(web, method, path, token):
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    answer = web.request(method, path, headers=headers)
    assert (answer.status_code, answer.json()) == (401, {"code": "UNAUTHORIZED"})


def test_a_reader_reads_and_may_change_nothing(web, failed):
    web.headers["Authorization"] = f"Bearer {READ}"
    assert web.get("/api/files").status_code == 200
    assert web.get(f"/api/files/{failed}").status_code == 200
    assert upload(web).status_code == 403
    assert web.post(f"/api/files/{failed}/retry").status_code == 403
    assert web.post("/api/files/retry", json={"file_ids": []}).status_code == 403


@pytest.mark.parametrize("path", ["/healthcheck", "/livez", "/openapi.json"])
def test_health_and_the_description_of_the_api_are_open(web, path):
    assert web.get(path).status_code == 200


def test_files_and_jobs_have_the_keys_of_their_columns(core, operator, failed):
    file = operator.get(f"/api/files/{failed}").json()
    assert core.sql("SELECT * FROM recognition.stored_file")[0].keys() <= file.keys()
    assert (file["status"], file["error_code"]) == ("ERROR", "TIMEOUT")
    job = operator.get(f"/api/jobs/{file['current_recognition_job_id']}").json()
    assert job.keys() == core.sql("SELECT * FROM recognition.recognition_job")[0].keys()
    assert [each["id"] for each in operator.get("/api/files").json()] == [failed]
    assert operator.get("/api/files", params={"status": "PROCESSED"}).json() == []
    assert operator.get(f"/api/files/{NOBODY}").status_code == 404
    assert operator.get(f"/api/jobs/{NOBODY}").status_code == 404


def test_eight_parallel_retries_of_one_file(core, operator, failed):
    """Scenario: Двойное нажатие: one 201, seven 409, one new row."""
    with ThreadPoolExecutor(8) as pressing:
        answers = list(pressing.map(lambda _: operator.post(f"/api/files/{failed}/retry"), range(8)))
    assert sorted(answer.status_code for answer in answers) == [201] + [409] * 7
    made = next(answer.json() for answer in answers if answer.status_code == 201)
    assert made.keys() == {"file_id", "job_id", "attempt", "status"}
    assert (made["attempt"], made["status"]) == (2, "queued")
    refused = [answer.json() for answer in answers if answer.status_code == 409]
    assert refused == [{"code": "FILE_NOT_RETRYABLE", "reason": "IN_PROGRESS"}] * 7
    assert len(core.sql("SELECT 1 FROM recognition.recognition_job")) == 2
    assert core.sql("SELECT actor FROM recognition.audit_event") == [{"actor": "olga"}]


def test_a_batch_of_retries(operator, failed):
    answer = operator.post("/api/files/retry", json={"file_ids": [failed, failed, NOBODY]})
    assert answer.status_code == 200
    assert [each["file_id"] for each in answer.json()["retried"]] == [failed]
    assert answer.json()["skipped"] == [{"file_id": NOBODY, "code": "FILE_NOT_FOUND"}]
    again = operator.post("/api/files/retry", json={"file_ids": [failed]}).json()
    assert again == {"retried": [], "skipped": [{"file_id": failed, "code": "FILE_NOT_RETRYABLE"}]}


def test_a_retry_of_nothing(operator):
    answer = operator.post(f"/api/files/{NOBODY}/retry")
    assert (answer.status_code, answer.json()) == (404, {"code": "FILE_NOT_FOUND"})


def test_a_database_that_is_away_is_503_and_leaves_no_object(core, tmp_path):
    away = core.settings.model_copy(
        update={
            "nats_enabled": False,
            "ledger_api_tokens": SecretStr(TOKENS),
            "database_url": SecretStr("postgresql://nobody@127.0.0.1:1/nowhere"),
        }
    )
    with TestClient(create_app(away, ended=lambda: None), raise_server_exceptions=False) as client:
        client.headers["Authorization"] = f"Bearer {OPERATE}"
        assert upload(client).status_code == 503
    assert not [path for path in (tmp_path / "objects").rglob("*") if path.is_file()]


@pytest.fixture
def ledger(core):
    def run(*words):
        done = subprocess.run(
            [LEDGER, "recognition", *words],
            env=core.environment | {"PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    return run


def test_the_commands_submit_show_list_and_retry(core, ledger, tmp_path):
    book = tmp_path / "osv.xlsx"
    book.write_bytes(b"PK")
    code, out, _ = ledger("submit", str(book), "--pipeline", "tabular", "--json")
    made = json.loads(out)
    assert (code, made.keys()) == (0, {"file_id", "job_id", "status"})
    code, out, _ = ledger("show", made["job_id"], "--json")
    assert (code, json.loads(out)["file"]["original_name"]) == (0, "osv.xlsx")
    code, out, err = ledger("retry", made["file_id"], "--json")
    assert (code, json.loads(out)["skipped"][0]["code"]) == (10, "FILE_NOT_RETRYABLE")
    assert "refused" in err
    assert json.loads(ledger("status", "--json")[1])["active"] == {"queued": 1, "published": 0, "processing": 0}
    assert [each["id"] for each in json.loads(ledger("jobs", "--json")[1])["jobs"]] == [made["job_id"]]
    assert ledger("show", NOBODY)[0] == 3
    assert ledger("submit", str(tmp_path / "absent"), "--pipeline", "tabular")[0] == 2


def test_the_outcome_decides_the_exit_code_of_waiting(core, ledger, tmp_path):
    book = tmp_path / "osv.xlsx"
    book.write_bytes(b"PK")
    assert ledger("submit", str(book), "--pipeline", "tabular", "--wait", "--timeout", "0.1")[0] == 124
    core.publish()
    core.sql("UPDATE recognition.recognition_job SET reply_deadline = now() - interval '1 s'")
    with ThreadPoolExecutor(1) as waiting:
        outcome = waiting.submit(ledger, "submit", str(book), "--pipeline", "tabular", "--wait", "--json")
        while not outcome.done():
            core.publish()
            core.sql(
                "UPDATE recognition.recognition_job SET reply_deadline = now() - interval '1 s' "
                "WHERE status = 'published'"
            )
            core.watch()
    code, out, err = outcome.result()
    assert (code, json.loads(out)["status"]) == (5, "timeout")
    assert "TIMEOUT" in err
