"""Requirements on the connection, the subjects and the credentials, with `ledger serve` as a process of its own."""

import os
import signal
from pathlib import Path

import pytest

from tests.support.recognition import envelope, wait_until
from tests.support.serve import Serve
from tests.support.servers import Database, start

DEFAULTS = {
    "tabular_request": "files.tabular_uploaded",
    "image_request": "files.img_uploaded",
    "result": "files.tabular_parsed",
}


@pytest.fixture
def serve(core, run_role):
    return lambda **changes: Serve(run_role, core.environment | changes)


def without_subjects(environment):
    return {name: value for name, value in environment.items() if not name.startswith("OPENBAO__")}


def test_the_development_environment(core, run_role):
    """Scenarios: Dev-окружение compose, Умолчания."""
    served = Serve(run_role, without_subjects(core.environment) | {"DEBUG": "true"})
    served.wait_for_health(nats="ok", database="ok", status="ok")
    assert served.health()["subjects"] == DEFAULTS
    assert served.anonymous.get("/readyz").status_code == 200
    assert '"level": "ERROR"' not in served.role.text()
    line = next(line for line in served.role.text().splitlines() if "subjects:" in line)
    assert all(subject in line for subject in DEFAULTS.values())


def test_subjects_of_the_environment(core, bus, serve):
    """Scenario: Subject'ы окружения."""
    served = serve()
    served.wait_for_health(nats="ok")
    assert served.health()["subjects"] == core.settings.subjects
    job_id = core.published()
    bus.send("files.tabular_parsed", envelope(job_id, "processing"))
    bus.send(core.settings.subjects["result"], envelope(job_id, "needs_check"))
    core.wait_for(job_id, "needs_check")
    assert core.job(job_id)["started_at"] is None, "the answer to another subject was not heard"


def test_nats_is_switched_off(core, serve):
    """Scenario: NATS выключен."""
    served = serve(NATS_ENABLED="false", RECOGNITION_TICKS="inline", OUTBOX_POLL_SECONDS="0.1")
    served.wait_for_health(database="ok")
    assert served.health()["nats"] == "off"
    assert served.health()["subjects"] == core.settings.subjects
    assert served.anonymous.get("/readyz").status_code == 200
    assert core.sql("SELECT * FROM recognition.tick_state") == []
    assert core.sql("SELECT * FROM recognition.inbox_state") == []


def test_a_subject_that_is_not_allowed(core, run_role):
    """Scenario: Недопустимый subject; every other way to be wrong is in tests/unit/settings/test_nats.py."""
    served = Serve(run_role, core.environment | {"OPENBAO__NATS__NATS_RESULT_SUBJECT": "files.>"}, wait=False)
    assert served.role.process.wait(30) == 9
    assert "OPENBAO__NATS__NATS_RESULT_SUBJECT" in served.role.text()


def test_two_instances_of_the_core(core, bus, serve):
    """Scenario: Два инстанса ядра."""
    both = serve(), serve()
    for each in both:
        each.wait_for_health(nats="ok")
    jobs = [core.add_job() for _ in range(10)]
    core.publish()
    for job_id in jobs:
        bus.send(core.settings.subjects["result"], envelope(job_id, "error"), f"result:{job_id}:1")
    for job_id in jobs:
        core.wait_for(job_id, "error")
    assert [each.role.stop() for each in both] == [0, 0]
    assert "delivered again" not in both[0].role.text() + both[1].role.text()
    assert core.sql("SELECT * FROM recognition.inbox_state") == [], "a clean end leaves no trace"


@pytest.mark.case("C088")
def test_health_says_so_within_5_seconds_when_nats_goes_and_comes_back(core, run_nats, serve):
    server = run_nats()
    served = serve(NATS_URL=server.url)
    served.wait_for_health(nats="ok")
    server.kill()
    assert served.wait_for_health(nats="down", status="degraded") < 5
    assert served.anonymous.get("/readyz").status_code == 503
    assert served.anonymous.get("/livez").status_code == 200
    server.start()
    assert served.wait_for_health(nats="ok", status="ok") < 5


def test_health_says_so_within_15_seconds_when_nats_freezes_and_thaws(run_nats, serve):
    server = run_nats()
    served = serve(NATS_URL=server.url)
    served.wait_for_health(nats="ok")
    server.freeze()
    assert served.wait_for_health(nats="down") < 15
    server.thaw()
    assert served.wait_for_health(nats="ok") < 15


def test_health_says_so_within_5_seconds_when_the_database_goes_freezes_and_comes_back(core, own_stack, run_role, nats):
    start(own_stack, "postgresql")
    database = Database(own_stack.postgresql, "frozen")
    database.create()
    served = Serve(run_role, core.environment | {"DATABASE_URL": database.url_of("ledger_core")})
    served.wait_for_health(database="ok")
    own_stack.supervisor.stop("postgresql")
    assert served.wait_for_health(database="down", status="degraded") < 5
    own_stack.start("postgresql")
    assert served.wait_for_health(database="ok", status="ok") < 5
    process = own_stack.supervisor.process("postgresql")
    pids = [process.pid, *(int(pid) for pid in _children(process.pid))]
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        assert served.wait_for_health(database="down", status="degraded") < 5
        assert served.anonymous.get("/readyz").status_code == 503
    finally:
        for pid in reversed(pids):
            os.kill(pid, signal.SIGCONT)
    assert served.wait_for_health(database="ok") < 5


def _children(pid):
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def test_inline_ticks_carry_a_job_through(core, bus, serve):
    served = serve(RECOGNITION_TICKS="auto", OUTBOX_POLL_SECONDS="0.1", RECOGNITION_MAP_SECONDS="0.1")
    served.wait_for_health(nats="ok")
    parser = bus.listen(core.settings.subjects["tabular_request"])
    job_id = core.add_job()
    assert parser.get(timeout=10).message_id == f"{job_id}:1"
    wait_until(lambda: served.health()["last_tick_seconds"] is not None)
    bus.send(core.settings.subjects["result"], envelope(job_id, "done"))
    wait_until(lambda: core.file(job_id)["status"] == "ERROR")
    assert core.file(job_id)["mapping_error"]


@pytest.mark.trap(28)
def test_what_was_received_survives_kill_9_while_it_could_not_be_applied(core, bus, serve):
    served = serve()
    served.wait_for_health(nats="ok")
    jobs = [core.add_job() for _ in range(50)]
    core.publish()
    with core.exchange.engine.connect() as holder:
        holder.exec_driver_sql("SELECT 1 FROM recognition.recognition_job FOR UPDATE")
        for job_id in jobs:
            bus.send(core.settings.subjects["result"], envelope(job_id, "error"), f"result:{job_id}:1")
        wait_until(lambda: served.health()["spool"] == 50)
        served.role.kill()
        holder.rollback()
    core.sql("UPDATE recognition.recognition_job SET reply_deadline = clock_timestamp()")
    assert core.watch() == 0, "their answers lie in the journal of the inbox that was killed"
    assert {core.job(job_id)["status"] for job_id in jobs} == {"published"}
    serve().wait_for_health(nats="ok")
    for job_id in jobs:
        core.wait_for(job_id, "error")
    wait_until(lambda: len(core.sql("SELECT 1 FROM recognition.inbox_state")) == 1)
