"""Requirements: Запрос без ack публикуется повторно, затем — dlq; Таймаут ожидания результата."""

import queue
import threading
import time
from datetime import timedelta
from itertools import pairwise

import pytest

from ledger_tasks.recognition.inbox import settle
from ledger_tasks.recognition.journal import Entry
from tests.support.recognition import envelope, wait_until


@pytest.fixture
def parser(core, bus):
    return bus.listen(f"{core.prefix}.files.tabular_uploaded")


@pytest.fixture
def patient(core):
    """The same core with an acknowledgement timeout that a test can wait for."""
    return core.with_settings(ack_timeout_seconds=0.5)


def silence(core, job_id):
    """Let ACK_TIMEOUT_SECONDS pass, for the inbox too, and run the outbox."""
    core.age(job_id, "published_at", 31)
    core.publish()


def heard_everything(core, instance="inbox", alive=0.0, through=0.0, listening=3600.0):
    """Report an inbox: so many seconds ago alive, applied through, and listening since."""
    core.sql(
        """INSERT INTO recognition.inbox_state (instance, alive_at, applied_through, listening_since)
           VALUES (:i, now() - make_interval(secs => :a), now() - make_interval(secs => :t),
                   now() - make_interval(secs => :l))
           ON CONFLICT (instance) DO UPDATE SET alive_at = excluded.alive_at,
               applied_through = excluded.applied_through, listening_since = excluded.listening_since""",
        i=instance,
        a=alive,
        t=through,
        l=listening,
    )


def test_the_service_is_unavailable(core, parser):
    """Scenario: Сервис недоступен."""
    job_id = core.published()
    first = core.job(job_id)
    for count in (1, 2, 3):
        silence(core, job_id)
        assert core.job(job_id)["metrics"] == {"republish_count": count}
    heard_everything(core)
    silence(core, job_id)
    job, file = core.job(job_id), core.file(job_id)
    assert (job["status"], job["error_code"]) == ("dlq", "NO_ACK")
    assert job["finished_at"]
    assert (file["status"], file["error_code"]) == ("ERROR", "NO_ACK")
    assert job["request_msg_id"] == first["request_msg_id"]
    sent = [parser.get(timeout=10) for _ in range(4)]
    assert len(set(sent)) == 1
    with pytest.raises(queue.Empty):
        parser.get(timeout=0.2)


def test_the_republications_come_about_one_timeout_apart(patient, parser):
    job_id = patient.published()
    moments = [patient.job(job_id)["published_at"]]
    with patient.inbox():
        while patient.job(job_id)["status"] == "published":
            patient.publish()
            if (at := patient.job(job_id)["published_at"]) != moments[-1]:
                moments.append(at)
    gaps = [after - before for before, after in pairwise(moments)]
    assert len(gaps) == 3
    assert all(timedelta(seconds=0.5) <= gap < timedelta(seconds=2) for gap in gaps)
    assert patient.job(job_id)["error_code"] == "NO_ACK"


def test_the_service_appeared_after_the_first_repetition(core, bus):
    """Scenario: Сервис появился после первого повтора."""
    job_id = core.published()
    parser = bus.listen(f"{core.prefix}.files.tabular_uploaded")
    silence(core, job_id)
    with core.inbox():
        assert parser.get(timeout=10).message_id == f"{job_id}:1"
        bus.send(core.settings.subjects["result"], envelope(job_id, "processing"), f"ack:{job_id}:1")
        core.wait_for(job_id, "processing")
    core.age(job_id, "published_at", 31)
    assert core.publish() == 0
    assert parser.empty()


def test_the_count_of_republications_survives_what_a_service_counted(core, bus):
    job_id = core.published()
    silence(core, job_id)
    with core.inbox():
        counted = {"rows": 7, "republish_count": 99}
        bus.send(core.settings.subjects["result"], envelope(job_id, "done", metrics=counted), f"result:{job_id}:1")
        job = core.wait_for(job_id, "done")
    assert job["metrics"] == {"rows": 7, "republish_count": 1}


@pytest.mark.matrix
@pytest.mark.timeout(240)
def test_the_republications_come_about_30_seconds_apart(core, parser):
    """Scenario: Сервис недоступен, in real time: polls every 5 s, as by default."""
    job_id = core.published()
    moments = [core.job(job_id)["published_at"]]
    with core.inbox():
        while core.job(job_id)["status"] == "published":
            time.sleep(core.settings.outbox_poll_seconds)
            core.publish()
            if (at := core.job(job_id)["published_at"]) != moments[-1]:
                moments.append(at)
    assert len(moments) == 4
    assert all(timedelta(seconds=30) <= after - before < timedelta(seconds=40) for before, after in pairwise(moments))
    job = core.job(job_id)
    assert (job["status"], job["error_code"]) == ("dlq", "NO_ACK")
    assert len({parser.get(timeout=1) for _ in range(4)}) == 1


def test_the_service_took_it_and_did_not_answer(core, bus):
    """Scenario: Сервис взял, но не ответил."""
    job_id = core.published()
    with core.inbox():
        bus.send(core.settings.subjects["result"], envelope(job_id, "processing"), f"ack:{job_id}:1")
        core.wait_for(job_id, "processing")
        core.age(job_id, "reply_deadline", 901)
        wait_until(lambda: core.watch() == 1)
    job, file = core.job(job_id), core.file(job_id)
    assert (job["status"], job["error_code"]) == ("timeout", "TIMEOUT")
    assert (file["status"], file["error_code"]) == ("ERROR", "TIMEOUT")


def test_a_deadline_before_the_fourth_publication_gives_timeout_and_not_no_ack(core):
    job_id = core.published()
    for _ in range(3):
        silence(core, job_id)
    heard_everything(core)
    core.age(job_id, "reply_deadline", 901)
    silence(core, job_id)
    assert core.job(job_id)["status"] == "published"
    core.watch()
    assert (core.job(job_id)["status"], core.job(job_id)["error_code"]) == ("timeout", "TIMEOUT")


def test_no_job_is_given_up_while_no_inbox_has_listened_since_its_last_publication(core):
    job_id = core.published()
    for _ in range(3):
        silence(core, job_id)
    heard_everything(core, listening=5)
    silence(core, job_id)
    assert core.job(job_id)["status"] == "published"
    heard_everything(core)
    core.publish()
    assert core.job(job_id)["status"] == "dlq"


def test_no_job_times_out_while_its_answer_may_lie_in_a_journal(core):
    job_id = core.published()
    core.age(job_id, "reply_deadline", 905)
    heard_everything(core, "up to date")
    heard_everything(core, "behind", through=10)
    assert core.watch() == 0
    heard_everything(core, "behind", through=1)
    assert core.watch() == 1


def test_after_the_grace_time_an_inbox_that_is_gone_holds_up_no_deadline(core):
    job_id = core.published()
    core.age(job_id, "reply_deadline", 905)
    heard_everything(core, "gone", alive=130, through=130)
    core.watch()
    assert core.job(job_id)["status"] == "published", "the watcher has just begun: silence proves nothing yet"
    core.sql("UPDATE recognition.tick_state SET observing_since = now() - interval '10 minutes'")
    core.watch()
    assert core.job(job_id)["status"] == "timeout"


def test_after_an_outage_of_the_database_the_watcher_waits_for_the_inboxes_again(core):
    job_id = core.published()
    core.watch()
    core.sql(
        "UPDATE recognition.tick_state SET ran_at = now() - interval '5 minutes', "
        "observing_since = now() - interval '1 day'"
    )
    core.age(job_id, "reply_deadline", 905)
    heard_everything(core, "was away as well", alive=310, through=310)
    core.watch()
    assert core.job(job_id)["status"] == "published"
    heard_everything(core, "was away as well")
    core.watch()
    assert core.job(job_id)["status"] == "timeout"


@pytest.mark.case("C101")
def test_a_result_at_its_deadline_and_the_watcher_agree_on_one_outcome(core):
    jobs = [core.add_job() for _ in range(40)]
    core.publish()
    core.sql("UPDATE recognition.recognition_job SET reply_deadline = now() - interval '1 ms'")

    def answer():
        for job_id in jobs:
            entry = Entry(1, f"result:{job_id}:1", envelope(job_id, "error", error={"code": "LATE"}))
            while settle(core.exchange.engine, [entry]):
                pass

    answering = threading.Thread(target=answer)
    answering.start()
    while core.sql("SELECT 1 FROM recognition.recognition_job WHERE status = 'published'"):
        core.watch()
    answering.join()
    for job_id in jobs:
        job, file = core.job(job_id), core.file(job_id)
        assert (job["status"], job["error_code"]) in {("timeout", "TIMEOUT"), ("error", "LATE")}
        assert (file["status"], file["error_code"]) == ("ERROR", job["error_code"])


@pytest.mark.case("C102")
def test_two_watchers_close_each_job_once(core):
    jobs = [core.add_job() for _ in range(50)]
    core.publish()
    core.sql("UPDATE recognition.recognition_job SET reply_deadline = now() - interval '1 s'")
    closed = []
    watchers = [threading.Thread(target=lambda: closed.append(core.watch())) for _ in range(4)]
    for each in watchers:
        each.start()
    for each in watchers:
        each.join()
    assert sum(closed) == len(jobs)
