"""What the Celery apps of the roles are told, and the order of all times, read from the real settings."""

import pytest

from beat_schedule import timetable
from ledger_tasks.app import beat_app, worker_app
from ledger_tasks.doctor.times import CONSUMER_TIMEOUT_SECONDS, examine_times
from ledger_tasks.roles import ROLES
from ledger_tasks.settings import BeatSettings, BrokerSettings, OcrSettings
from ledger_tasks.worker import hard_limit, node_name

URL = "amqp://guest:guest@127.0.0.1:1/none"


@pytest.fixture(params=sorted(ROLES))
def app(request):
    return worker_app(ROLES[request.param], BrokerSettings(rabbitmq_url=URL))


@pytest.mark.trap(13)
@pytest.mark.case("C054")
@pytest.mark.case("C073")
@pytest.mark.trap(4)
def test_nothing_is_acknowledged_early_or_by_default_and_control_queues_die_with_their_process(app) -> None:
    conf = app.conf
    assert conf.task_acks_late
    assert not conf.task_acks_on_failure_or_timeout
    assert conf.task_reject_on_worker_lost
    assert (conf.worker_prefetch_multiplier, conf.worker_detect_quorum_queues) == (1, True)
    assert conf.control_queue_exclusive
    assert conf.event_queue_exclusive
    assert conf.accept_content == ["json"]
    assert not conf.task_publish_retry
    assert not conf.task_create_missing_queues


@pytest.mark.case("C068")
def test_a_lost_connection_does_not_cancel_what_runs(app) -> None:
    assert app.conf.worker_cancel_long_running_tasks_on_connection_loss is False
    assert app.conf.broker_channel_error_retry


@pytest.mark.case("C056")
@pytest.mark.trap(21)
def test_each_tick_has_a_queue_of_its_own_and_never_an_expiry_or_a_countdown() -> None:
    ticks = timetable()
    assert len({tick.queue for tick in ticks}) == len(ticks) == len({tick.task for tick in ticks})
    conf = beat_app(BeatSettings(rabbitmq_url=URL, nats_enabled=True)).conf
    for entry in conf.beat_schedule.values():
        assert set(entry["options"]) == {"queue", "exchange", "routing_key", "mandatory"}


def test_switches_leave_entries_out() -> None:
    quiet = beat_app(BeatSettings(rabbitmq_url=URL, nats_enabled=False, discovery_by_beat=False)).conf.beat_schedule
    assert "receipts.discover" not in quiet
    assert not [name for name in quiet if name.startswith("recognition.")]


@pytest.mark.case("C061")
@pytest.mark.trap(15)
def test_lock_ocr_hold_and_settlement_end_before_the_hard_limit_and_that_before_the_broker(tmp_path) -> None:
    settings = OcrSettings(rabbitmq_url=URL, receipt_source_root=tmp_path, home_budget_ocr_cache=tmp_path)
    parts = settings.lock_seconds + settings.ocr_timeout_seconds + settings.hold_seconds
    assert parts < hard_limit(settings) < CONSUMER_TIMEOUT_SECONDS
    assert [finding.verdict for finding in examine_times(settings)] == ["ok"]
    slow = settings.model_copy(update={"ocr_timeout_seconds": 1800})
    assert [finding.verdict for finding in examine_times(slow)] == ["wrong"]


@pytest.mark.trap(18)
def test_two_workers_of_one_role_never_share_a_name() -> None:
    assert node_name("ocr") != node_name("ocr")
