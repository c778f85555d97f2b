"""A publisher or watcher that is killed (SIGKILL) at any point of its tick leaves nothing that the next cannot do."""

import os
import subprocess
import sys

import pytest

from contracts.recognition.request import decode_request

TICK = """
import os, signal, sys
from ledger_tasks.recognition import outbox, ticks, watchdog
from ledger_tasks.settings import ServeSettings, load

def die(*_arguments, **_options):
    os.kill(os.getpid(), signal.SIGKILL)

place, tick, name, after = {"outbox": outbox, "watchdog": watchdog}[sys.argv[1]], *sys.argv[2:]
work = getattr(place, name)

def work_and_die(*arguments, **options):
    work(*arguments, **options)
    die()

setattr(place, name, work_and_die if after == "after" else die)
getattr(ticks, tick)(ticks.open_exchange(load(ServeSettings)))
"""


def killed(core, *words):
    """Run one tick in a process that kills itself before or after a step."""
    environment = os.environ | core.environment
    done = subprocess.run([sys.executable, "-c", TICK, *words], env=environment, check=False, capture_output=True)
    assert done.returncode == -9, done.stderr


@pytest.mark.case("C094")
@pytest.mark.parametrize(
    ("step", "when", "sent"),
    [("claim_queued", "after", 0), ("set_published", "before", 1), ("set_republished", "after", 1)],
    ids=["claimed", "published to NATS", "written, not committed"],
)
def test_a_publisher_that_is_killed_leaves_its_job_to_the_next_with_the_same_id(core, bus, step, when, sent):
    heard = bus.listen(core.settings.subjects["tabular_request"])
    job_id = core.add_job()
    killed(core, "outbox", "publish_outbox", step, when)
    assert core.job(job_id)["status"] == "queued"
    assert core.publish() == 1
    received = [heard.get(timeout=10) for _ in range(sent + 1)]
    assert {each.message_id for each in received} == {f"{job_id}:1"}
    assert heard.empty()
    job = core.job(job_id)
    assert (job["status"], job["metrics"]) == ("published", {})
    assert decode_request(received[-1].body).reply_deadline == job["reply_deadline"]


@pytest.mark.case("C102")
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_watcher_that_is_killed_in_its_cycle_leaves_overdue_jobs_to_the_next(core, when):
    jobs = [core.published() for _ in range(3)]
    core.sql("UPDATE recognition.recognition_job SET reply_deadline = now() - interval '1 s'")
    killed(core, "watchdog", "watch_deadlines", "write_changes", when)
    assert {core.job(job_id)["status"] for job_id in jobs} == {"published"}
    assert core.watch() == 3
    assert {core.file(job_id)["error_code"] for job_id in jobs} == {"TIMEOUT"}
