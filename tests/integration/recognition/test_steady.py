"""What must hold over a whole day: short transactions, a backlog that drains, ticks that are off and do nothing."""

import os
import signal
import threading
import time

import pytest

from beat_schedule import timetable
from ledger_tasks.recognition import tasks, ticks
from tests.support.recognition import Core, envelope


@pytest.mark.case("C110")
def test_a_backlog_made_while_nats_was_off_leaves_when_it_is_on(core, bus):
    heard = bus.listen(core.settings.subjects["tabular_request"])
    jobs = {core.add_job() for _ in range(50)}
    core.publish()
    assert {heard.get(timeout=10).message_id.partition(":")[0] for _ in range(50)} == jobs


@pytest.mark.case("C099")
def test_no_transaction_lasts_longer_than_5_seconds_even_while_the_server_is_frozen(core, run_nats, tmp_path):
    server = run_nats()
    cold = Core(core.settings.database_url.get_secret_value(), server.url, tmp_path)
    for _ in range(100):
        cold.add_job()
    ages = []
    watching = threading.Event()

    def watch():
        while not watching.is_set() or not ages:
            found = core.sql(
                "SELECT extract(epoch FROM max(clock_timestamp() - xact_start))::float AS age FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            ages.append(found[0]["age"] or 0)
            watching.wait(0.05)

    watcher = threading.Thread(target=watch)
    watcher.start()
    freezing = threading.Timer(0.02, server.freeze)
    freezing.start()
    for _ in range(3):
        cold.publish()
    freezing.join()
    watching.set()
    watcher.join()
    assert ages
    assert max(ages) < 5


def test_a_tick_that_is_switched_off_returns_at_once(core, monkeypatch):
    job_id = core.add_job()
    off = core.with_settings(nats_enabled=False)
    monkeypatch.setattr(tasks, "_exchange", lambda: off.exchange)
    for task in (tasks.publish_outbox, tasks.watch_deadlines, tasks.map_results):
        task()
    assert core.job(job_id)["status"] == "queued"
    assert core.sql("SELECT * FROM recognition.tick_state") == []


def test_a_tick_that_hangs_occupies_one_process_of_a_worker_and_the_other_ticks_go_on(core, monkeypatch):
    job_id = core.add_job()
    begun, end = os.pipe(), os.pipe()
    monkeypatch.setattr(tasks, "_exchange", lambda: core.exchange)
    child = os.fork()
    if child == 0:  # as a child of the worker: the mapper waits for a store that does not answer
        assert tasks._is_our_turn(tasks._TURNS[ticks.map_documents])
        os.write(begun[1], b".")
        os.read(end[0], 1)
        os._exit(0)
    os.read(begun[0], 1)
    tasks.map_results()
    assert core.sql("SELECT 1 FROM recognition.tick_state WHERE name = 'map'") == []
    tasks.publish_outbox()
    assert core.job(job_id)["status"] == "published"
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    tasks.map_results()
    assert len(core.sql("SELECT 1 FROM recognition.tick_state WHERE name = 'map'")) == 1


def test_each_tick_is_a_task_on_its_own_queue():
    ticks = {tick.task: tick.queue for tick in timetable(5) if tick.task.startswith("recognition.")}
    assert ticks == {
        tasks.publish_outbox.name: "recognition.v1.ticks.publish",
        tasks.watch_deadlines.name: "recognition.v1.ticks.watch",
        tasks.map_results.name: "recognition.v1.ticks.map",
    }


def test_one_answer_that_comes_alone_is_applied_within_a_second(core, bus):
    job_id = core.published()
    with core.inbox():
        began = time.monotonic()
        bus.send(core.settings.subjects["result"], envelope(job_id, "processing"))
        core.wait_for(job_id, "processing")
        assert time.monotonic() - began < 1
