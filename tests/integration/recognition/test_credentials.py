"""Requirement: nkeys-seed и JWT, if they are given; on both server versions, with permissions and expiry."""

import base64

import pytest
from nkeys import from_seed

from tests.support.amqp import wait_until
from tests.support.bus import Bus
from tests.support.nats_servers import debian_nats
from tests.support.operator_jwt import Operator
from tests.support.recognition import envelope
from tests.support.serve import Serve


@pytest.fixture(scope="module")
def operator():
    return Operator()


@pytest.fixture(params=["2.15", "2.9"])
def closed(request, run_nats, operator):
    """A server of each version that lets in only users of the operator."""
    if request.param == "2.9":
        request.getfixturevalue("old_nats")
        return run_nats(operator.configuration, debian_nats())
    return run_nats(operator.configuration)


def secured(core, server, credentials):
    """Return the environment of `ledger serve` with credentials."""
    return (
        core.environment
        | {
            "NATS_URL": server.url,
            "RECOGNITION_TICKS": "inline",
            "OUTBOX_POLL_SECONDS": "0.2",
            "LEDGER_LOG_LEVEL": "DEBUG",
            "DEBUG": "true",
        }
        | credentials.environment
    )


@pytest.mark.case("C109")
def test_with_seed_and_jwt_jobs_go_out_answers_come_in_and_no_log_says_them(core, run_role, closed, operator):
    credentials = operator.user()
    served = Serve(run_role, secured(core, closed, credentials))
    served.wait_for_health(nats="ok")
    job_id = core.add_job()
    core.wait_for(job_id, "published")
    service = operator.user()
    bus = Bus(closed.url, user_jwt_cb=service.jwt.encode, signature_cb=signer(service.seed))
    bus.send(core.settings.subjects["result"], envelope(job_id, "processing"))
    core.wait_for(job_id, "processing")
    bus.close()
    served.role.stop()
    assert credentials.seed not in served.role.text()
    assert credentials.jwt not in served.role.text()


def test_without_credentials_the_server_keeps_us_out_and_health_says_so(core, run_role, closed):
    served = Serve(run_role, core.environment | {"NATS_URL": closed.url})
    served.wait_for_health(nats="down", database="ok")
    job_id = core.add_job()
    core.publish()
    assert core.job(job_id)["status"] in {"queued", "published"}
    assert "the inbox is deaf" in served.role.text()


@pytest.mark.trap(24)
def test_a_forbidden_subscription_is_down_and_not_a_deaf_process_that_looks_healthy(core, run_role, closed, operator):
    credentials = operator.user(deny=core.settings.subjects["result"])
    served = Serve(run_role, secured(core, closed, credentials))
    served.wait_for_health(nats="down", database="ok")
    refused = f"refuses our subscription to {core.settings.subjects['result']}"
    wait_until(lambda: refused in served.role.text(), "the refusal in the log", 20)
    served.wait_for_health(nats="down", database="ok")


@pytest.mark.trap(24)
def test_a_forbidden_publication_leaves_its_jobs_queued_and_is_told(core, run_role, closed, operator):
    subject = core.settings.subjects["image_request"]
    served = Serve(run_role, secured(core, closed, operator.user(deny=subject)))
    served.wait_for_health(nats="ok")
    refused = core.add_job(pipeline="image")
    core.wait_for(core.add_job(), "published")
    wait_until(lambda: (subject, "SUBJECT_REFUSED") in told(served), "the refused subject in /healthcheck")
    assert core.job(refused)["status"] == "queued"


@pytest.mark.case("C089")
@pytest.mark.trap(25)
def test_a_jwt_that_expires_while_running_is_down_within_5_seconds_and_ends_the_pod(core, run_role, closed, operator):
    credentials = operator.user(seconds=8)
    served = Serve(run_role, secured(core, closed, credentials))
    served.wait_for_health(nats="ok")
    assert 0 < served.health()["detail"]["credentials_expire_seconds"] < 8
    served.wait_for_health(nats="down", seconds=20)
    assert served.anonymous.get("/livez").status_code == 503, "only a restart reads a new JWT"
    assert credentials.jwt not in served.role.text()


def test_an_expired_jwt_is_an_error_at_the_start(core, run_role, nats, operator):
    credentials = operator.user(seconds=-60)
    served = Serve(run_role, core.environment | credentials.environment, wait=False)
    assert served.role.process.wait(30) == 9
    assert "OPENBAO__NATS__NATS_JWT: it expired at" in served.role.text()
    assert credentials.jwt not in served.role.text()


def signer(seed):
    return lambda nonce: base64.b64encode(from_seed(seed.encode()).sign(nonce.encode()))


def told(served):
    return [(each["place"], each["code"]) for each in served.health()["detail"]["troubles"]]
