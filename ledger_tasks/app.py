"""The Celery application of one role: settings come in, an app with our guarantees goes out."""

from collections.abc import Callable
from typing import Any, Final

from celery import Celery
from celery.app.control import Control
from celery.schedules import crontab
from kombu import Exchange, Queue

from beat_schedule import Tick, timetable
from ledger_tasks.messaging.tls import tls_of
from ledger_tasks.messaging.topology import EPOCH, TICK, QueueSpec, receipts_topology, topology
from ledger_tasks.roles import Role
from ledger_tasks.settings import BeatSettings, BrokerSettings

SETTLEMENT_SECONDS: Final = 90
"""Worst case of confirming a successor: connect, publish, silence, and once more for the handed back copy."""

HEARTBEAT_SECONDS: Final = 20


class LedgerApp(Celery):
    """A Celery app that knows its topology, and the task that takes the deliveries of its contract queue, if any."""

    ledger_specs: tuple[QueueSpec, ...] = ()
    ledger_contract_task: str | None = None
    ledger_settings: BrokerSettings | None = None
    ledger_waiting: Callable[[str], None] = staticmethod(lambda _reason: None)
    """Told why the consumer cannot consume yet; the worker puts it into its health file."""
    ledger_failure: BaseException | None = None
    """Why the consumer could not go on: Celery logs it and exits 1, our command exits with the failure's own code."""


def worker_app(role: Role, settings: BrokerSettings, *, outbox_poll_seconds: float = 5) -> LedgerApp:
    """Make the app of a worker role; its task modules are imported when the worker starts."""
    everything = topology(settings.receipt_retry_seconds, outbox_poll_seconds)
    recognition = role.name == "recognition"
    app = _app(f"ledger-{role.name}", settings)
    app.ledger_specs = everything if recognition else receipts_topology(settings.receipt_retry_seconds)
    app.ledger_contract_task = role.contract_task
    app.conf.update(
        imports=role.modules,
        task_queues=[_queue(spec) for spec in everything if spec.name in role.queues],
        task_default_queue=role.queues[0],
        worker_consumer="ledger_tasks.messaging.consumer:ContractConsumer",
    )
    return app


def beat_app(settings: BeatSettings) -> LedgerApp:
    """Make the app of the clock, with the entries of the timetable that are switched on."""
    app = _app("ledger-beat", settings)
    app.ledger_specs = topology(settings.receipt_retry_seconds, settings.outbox_poll_seconds)
    switches = {"always": True, "discovery_by_beat": settings.discovery_by_beat, "nats_enabled": settings.nats_enabled}
    ticks = [tick for tick in timetable(settings.outbox_poll_seconds) if switches[tick.switch]]
    app.conf.update(
        beat_schedule={tick.task: _entry(tick) for tick in ticks},
        task_queues=[_queue(spec) for spec in app.ledger_specs],
        task_default_queue="ledger.v1.discovery",
    )
    # A publish to a frozen broker must end: beat has one thread and many ticks to send.
    app.conf.broker_transport_options = {
        **app.conf.broker_transport_options,
        "confirm_publish": True,
        "read_timeout": 5,
        "write_timeout": 5,
    }
    return app


class _Silence(Control):
    """The control channel of somebody who only looks: no command is sent, and the broker user needs no right to."""

    def broadcast(self, *_arguments: Any, **_options: Any) -> None:
        """Send nothing, so nobody answers."""


def monitor_app(settings: BrokerSettings, *, operate: bool) -> LedgerApp:
    """Make an app that runs nothing and knows all our queues, for Flower; only with `operate` it commands workers."""
    app = _app("ledger-flower", settings)
    if not operate:
        app.control_cls = "ledger_tasks.app:_Silence"
    app.conf.update(
        task_queues=[_queue(spec) for spec in topology() if spec.name != EPOCH],
        task_default_queue="ledger.v1.discovery",
    )
    return app


def _app(name: str, settings: BrokerSettings) -> LedgerApp:
    app = LedgerApp(name, set_as_current=True)
    events = settings.ledger_celery_events
    url = settings.rabbitmq_url.get_secret_value()
    app.conf.update(
        broker_url=url,
        broker_use_ssl=tls_of(url),
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_channel_error_retry=True,
        broker_connection_timeout=5,
        broker_heartbeat=HEARTBEAT_SECONDS,
        broker_transport_options={"client_properties": {"connection_name": name}},
        accept_content=["json"],
        task_serializer="json",
        task_ignore_result=True,
        task_create_missing_queues=False,
        task_publish_retry=False,
        task_acks_late=True,
        task_acks_on_failure_or_timeout=False,
        task_reject_on_worker_lost=True,
        worker_prefetch_multiplier=1,
        worker_detect_quorum_queues=True,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        worker_enable_remote_control=events,
        worker_send_task_events=events,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        enable_utc=True,
        timezone="UTC",
    )
    return app


def _queue(spec: QueueSpec) -> Queue:
    """Return the queue as Celery consumes it; never declared by Celery, whose bindings are not ours."""
    return Queue(
        spec.name,
        Exchange(spec.name, "direct", durable=True, no_declare=True),
        routing_key=spec.routing_key,
        queue_arguments=spec.queue_arguments,
        no_declare=True,
    )


def _entry(tick: Tick) -> dict[str, Any]:
    minutes = int(tick.seconds // 60)
    aligned = tick.seconds % 60 == 0 and minutes > 0 and 60 % minutes == 0
    return {
        "task": tick.task,
        "schedule": crontab(minute=f"*/{minutes}") if aligned else tick.seconds,
        "options": {"queue": tick.queue, "exchange": tick.queue, "routing_key": TICK, "mandatory": True},
    }
