"""What hinders the exchange is told: a metric, /healthcheck, `ledger recognition status`; and it changes no job."""

import json
import subprocess
import sysconfig
from pathlib import Path

import httpx
from prometheus_client.parser import text_string_to_metric_families

from ledger_tasks.devstack.ports import free_port
from tests.support.operator_jwt import Operator
from tests.support.recognition import Core, wait_until
from tests.support.serve import READ, Serve

LEDGER = Path(sysconfig.get_path("scripts")) / "ledger"


def samples(url, token=READ):
    text = httpx.get(f"{url}/metrics", headers={"Authorization": f"Bearer {token}"}, timeout=20).text
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def told(served):
    """What /healthcheck says now, without the ages."""
    return [(each["place"], each["code"]) for each in served.health()["detail"]["troubles"]]


def status(core):
    words = [LEDGER, "recognition", "status"]
    environment = core.environment | {"PATH": "/usr/bin:/bin", "COLUMNS": "200"}
    document = subprocess.run([*words, "--json"], env=environment, capture_output=True, text=True, check=True).stdout
    table = subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout
    return json.loads(document), table


def test_nobody_listening_is_told_and_forgotten_as_soon_as_somebody_does(core, bus, run_role):
    subject = core.settings.subjects["tabular_request"]
    served = Serve(run_role, core.environment | {"RECOGNITION_TICKS": "inline", "OUTBOX_POLL_SECONDS": "0.2"})
    served.wait_for_health(nats="ok", status="ok")
    assert told(served) == []
    job_id = core.add_job()
    core.wait_for(job_id, "published")
    wait_until(lambda: told(served) == [(subject, "NO_RESPONDERS")])
    assert served.health()["status"] == "ok", "it is a signal and no state"
    found = samples(served.url)
    assert found["ledger_recognition_unheard_total", "tabular"] == 1
    assert found["ledger_recognition_trouble_seconds", "NO_RESPONDERS"] > 0
    document, table = status(core)
    assert [(each["place"], each["code"]) for each in document["troubles"]] == [(subject, "NO_RESPONDERS")]
    assert "Start the service" in table
    bus.listen(subject)
    core.add_job()
    wait_until(lambda: told(served) == [])
    assert samples(served.url)["ledger_recognition_unheard_total", "tabular"] == 1


def test_the_recognition_worker_counts_requests_that_nobody_heard(core, broker, run_role):
    port = free_port(set())
    environment = core.environment | broker.environment | {"OUTBOX_POLL_SECONDS": "1"}
    run_role("recognition", environment=environment | {"LEDGER_METRICS_PORT": str(port)})
    run_role("beat", environment=environment, wait=False)
    url = f"http://127.0.0.1:{port}"
    assert samples(url)["ledger_recognition_unheard_total", "image"] == 0
    job_id = core.add_job(pipeline="image")
    core.wait_for(job_id, "published", 30)
    wait_until(lambda: samples(url).get(("ledger_recognition_unheard_total", "image")) == 1)


def troubles(core):
    return {row["place"]: row["code"] for row in core.sql("SELECT * FROM recognition.trouble")}


def test_a_server_that_is_away_is_a_trouble_since_its_first_failure_until_it_is_back(core, tmp_path):
    away = Core(core.settings.database_url.get_secret_value(), "nats://127.0.0.1:1", tmp_path)
    core.add_job()
    away.publish()
    first = core.sql("SELECT * FROM recognition.trouble")
    assert [(each["place"], each["code"]) for each in first] == [("publish", "NATS_UNAVAILABLE")]
    away.publish()
    again = core.sql("SELECT * FROM recognition.trouble")
    assert again[0]["since"] == first[0]["since"]
    assert again[0]["seen_at"] > first[0]["seen_at"]
    core.publish()
    assert "publish" not in troubles(core)


def test_a_refused_subject_is_a_trouble_of_that_subject_alone(core, bus, run_nats, tmp_path):
    forbidding = run_nats(
        "authorization { users: [{ user: core, password: p, "
        "permissions: { publish: { deny: '*.files.img_uploaded' } } }] }"
    )
    address = core.settings.database_url.get_secret_value()
    limited = Core(address, forbidding.url.replace("nats://", "nats://core:p@"), tmp_path)
    image, _ = limited.add_job(pipeline="image"), limited.add_job()
    limited.publish()
    assert limited.job(image)["status"] == "queued"
    assert troubles(core)[limited.settings.subjects["image_request"]] == "SUBJECT_REFUSED"
    assert troubles(core)[limited.settings.subjects["tabular_request"]] == "NO_RESPONDERS"


def test_a_trouble_that_nobody_met_for_five_minutes_is_not_told_any_more(core, run_role):
    core.sql(
        "INSERT INTO recognition.trouble VALUES ('old', 'NO_RESPONDERS', now(), now() - interval '6 minutes'), "
        "('new', 'NO_RESPONDERS', now(), now() - interval '4 minutes')"
    )
    assert [each["place"] for each in status(core)[0]["troubles"]] == ["new"]


def test_the_end_of_the_credentials_is_in_health_and_metrics(core, run_role, run_nats):
    operator = Operator()
    server = run_nats(operator.configuration)
    environment = core.environment | {"NATS_URL": server.url} | operator.user(seconds=3600).environment
    served = Serve(run_role, environment)
    served.wait_for_health(nats="ok")
    assert 3500 < served.health()["detail"]["credentials_expire_seconds"] < 3600
    assert 3500 < samples(served.url)["ledger_nats_credentials_seconds",] < 3600


def test_credentials_without_an_end_have_no_age(core, run_role):
    served = Serve(run_role, core.environment)
    assert served.health()["detail"]["credentials_expire_seconds"] is None
    assert ("ledger_nats_credentials_seconds",) not in samples(served.url)
