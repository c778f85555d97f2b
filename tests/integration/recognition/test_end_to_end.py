"""A file goes in by command and its rows are in the database: all roles as processes, our own services included."""

import json
import subprocess
import sysconfig
from pathlib import Path

import pytest

from contracts.recognition.request import decode_request
from tests.support.serve import Serve

LEDGER = Path(sysconfig.get_path("scripts")) / "ledger"
DATA = Path(__file__).parents[2] / "data"
BALANCES = DATA / "trial_balances"


@pytest.fixture
def exchange(core, broker, run_role):
    """Beat, the recognition worker, serve and a tabular service."""
    environment = core.environment | broker.environment | {"OUTBOX_POLL_SECONDS": "1"}
    served = Serve(run_role, environment)
    run_role("beat", environment=environment, wait=False)
    run_role("recognition", environment=environment)
    served.wait_for_health(nats="ok")
    return environment


def submit(environment, path, pipeline="tabular"):
    words = ["recognition", "submit", str(path), "--pipeline", pipeline, "--wait", "--timeout", "60", "--json"]
    done = subprocess.run(
        [LEDGER, *words], env=environment | {"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=False
    )
    return done.returncode, json.loads(done.stdout)


def test_trial_balances_become_rows(core, exchange, run_role):
    run_role("recognizer", "tabular", environment=exchange, wait=False)
    for name, rows in (("russian.xlsx", 6), ("english.xls", 3), ("russian.ods", 2)):
        code, made = submit(exchange, BALANCES / name)
        assert (code, made["status"]) == (0, "done"), made
        found = core.sql(
            "SELECT count(*) AS rows FROM recognition.document_row r "
            "JOIN recognition.document d ON d.id = r.document_id WHERE d.recognition_job_id = :id",
            id=made["job_id"],
        )
        assert found == [{"rows": rows}]
    job = core.job(made["job_id"])
    assert (job["service_name"], job["statements_version"], job["result_schema_version"]) == (
        "tabular-parser",
        "1",
        "2.0",
    )
    code, made = submit(exchange, BALANCES / "wrong_total.xlsx")
    assert (code, made["status"]) == (6, "needs_check")
    (warning,) = core.job(made["job_id"])["metrics"]["warnings"]
    assert (warning["code"], warning["locator"]) == ("TOTAL_MISMATCH", {"sheet": "ОСВ", "row": 14})
    code, made = submit(exchange, Path(__file__))
    assert (code, made["error_code"]) == (5, "UNSUPPORTED_FORMAT")


@pytest.mark.trap(27)
def test_a_row_inserted_by_plain_sql_is_requested_within_10_seconds(core, bus, broker, run_role):
    """Scenario: Публикация запроса парсеру, with beat and worker as they are by default."""
    environment = core.environment | broker.environment
    run_role("recognition", environment=environment)
    run_role("beat", environment=environment, wait=False)
    core.wait_for(core.add_job(), "published", 30)
    heard = bus.listen(core.settings.subjects["tabular_request"])
    job_id = core.add_job()
    assert decode_request(heard.get(timeout=10).body).job_id == job_id
    assert core.wait_for(job_id, "published", 10)["request_msg_id"] == f"{job_id}:1"


def test_contract_1_0_gives_the_same_rows(core, exchange, run_role):
    run_role("recognizer", "tabular", "--contract", "1.0", environment=exchange, wait=False)
    code, made = submit(exchange, BALANCES / "wrong_total.xlsx")
    assert code == 6
    job = core.job(made["job_id"])
    assert (job["result_schema_version"], job["statements_version"]) == ("1.0", None)
    assert [each["code"] for each in job["metrics"]["warnings"]] == ["LEGACY_WARNING"]
    assert len(core.sql("SELECT 1 FROM recognition.document_row")) == 6
