"""One recognition job is one trace, through NATS and all its processes: its id names the trace, no message does."""

import json
import subprocess
import sysconfig
from pathlib import Path

import pytest

from contracts.recognition.request import decode_request
from tests.support.recognition import wait_until
from tests.support.serve import Serve
from tests.support.traces import collecting

LEDGER = Path(sysconfig.get_path("scripts")) / "ledger"
BALANCE = Path(__file__).parents[2] / "data" / "trial_balances" / "russian.xlsx"
STEPS = ["submit", "publish", "acknowledge", "read", "result", "map"]


@pytest.fixture
def collected():
    with collecting() as found:
        yield found


@pytest.fixture
def exchange(core, run_role, collected):
    """`ledger serve` with its ticks, and what both it and others export to."""
    quick = {f"{name}_SECONDS": "0.2" for name in ("OUTBOX_POLL", "RECOGNITION_WATCH", "RECOGNITION_MAP")}
    environment = (
        core.environment | quick | {"RECOGNITION_TICKS": "inline", "OTEL_EXPORTER_OTLP_ENDPOINT": collected[0]}
    )
    served = Serve(run_role, environment)
    served.wait_for_health(nats="ok")
    return environment


def submit(environment):
    words = [LEDGER, "recognition", "submit", str(BALANCE), "--pipeline", "tabular", "--json"]
    done = subprocess.run(words, env=environment | {"PATH": "/usr/bin:/bin"}, capture_output=True, check=True)
    return json.loads(done.stdout)


def steps(spans, job_id):
    """The names of the spans of a job's trace, in the order in which they began."""
    number = job_id.replace("-", "")
    mine = sorted((each for each in spans if each.trace_id.hex() == number), key=lambda each: each.start_time_unix_nano)
    return [each.name.removeprefix("recognition.") for each in mine]


def test_a_job_is_followed_from_submission_to_documents_by_one_trace(core, bus, run_role, exchange, collected):
    heard = bus.listen(core.settings.subjects["tabular_request"])
    role = run_role("recognizer", "tabular", environment=exchange, wait=False)
    wait_until(lambda: "listens on" in role.text(), 30)
    job_id = submit(exchange)["job_id"]
    _, spans = collected
    wait_until(lambda: set(steps(spans, job_id)) == set(STEPS), 30)
    found = steps(spans, job_id)
    assert found[0] == "submit"
    assert found[-1] == "map"
    mine = [each for each in spans if each.trace_id.hex() == job_id.replace("-", "")]
    (root,) = [each for each in mine if each.name == "recognition.submit"]
    assert root.parent_span_id == b""
    assert {each.parent_span_id for each in mine if each is not root} == {root.span_id}
    request = heard.get(timeout=10)
    assert request.headers == (("Nats-Msg-Id", f"{job_id}:1"),), "the contract's one header: nothing is carried for it"
    assert decode_request(request.body).job_id == job_id


def test_the_trace_of_a_job_that_nobody_answered_ends_with_its_being_given_up(core, exchange, collected):
    job_id = submit(exchange)["job_id"]
    core.wait_for(job_id, "published")
    core.age(job_id, "reply_deadline", 1000)
    _, spans = collected
    wait_until(lambda: "give_up" in steps(spans, job_id), 60)
    assert steps(spans, job_id)[:2] == ["submit", "publish"]
