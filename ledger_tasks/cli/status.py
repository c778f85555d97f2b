"""`ledger status`: the whole system on one screen."""

from typing import Any

from kombu import Connection

from ledger_tasks.cli.connection import database
from ledger_tasks.cli.output import Json, emit, say, table
from ledger_tasks.clock import now
from ledger_tasks.errors import DependencyDownError
from ledger_tasks.messaging.publish import BrokerAwayError, Publisher
from ledger_tasks.settings import BrokerSettings, load
from ledger_tasks.settings.parts import ManagementSettings
from ledger_tasks.status import status as gather


def status(json: Json = False) -> None:
    """Account for every file, and show queues, ages and alarms.

    The first line must add up: files = done + review + in flight + dead + skipped + invalid + remainder.
    Numbers that only the management API knows need RABBITMQ_MANAGEMENT_URL.

    Example: `ledger status --json`
    """
    operator = load(ManagementSettings)
    management = operator.rabbitmq_management_url
    with database() as engine, Publisher(load(BrokerSettings).rabbitmq_url.get_secret_value()) as publisher:
        document = gather(
            engine,
            _connected(publisher),
            management.get_secret_value() if management else None,
            operator.home_budget_ocr_cache,
            now(),
        )
    if json:
        emit(document)
    else:
        _show(document)


def _connected(publisher: Publisher) -> Connection:
    try:
        return publisher.connection()
    except BrokerAwayError:
        raise DependencyDownError(
            "RabbitMQ cannot be reached", remedy="Start it or correct RABBITMQ_URL.", next_command="ledger doctor"
        ) from None


def _show(document: dict[str, Any]) -> None:
    numbers = document["conservation"]
    parts = " + ".join(f"{count} {name}" for name, count in numbers.items() if name != "files")
    say(f"{numbers['files']} files = {parts}")
    rows = [(name, each["ready"], each["unacked"], each["consumers"]) for name, each in document["queues"].items()]
    table(("Queue", "Ready", "Unacked", "Consumers"), rows)
    for name in ("unique_waiting", "oldest_ready_seconds", "oldest_unacked_seconds", "unroutable_total", "alarms"):
        say(f"{name.replace('_', ' ')}: {_told(document[name])}")
    say(f"last scan: {_told(document['last_scan_seconds'])} s ago")


def _told(value: object) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, float):
        return f"{value:.0f}"
    return ", ".join(map(str, value)) or "none" if isinstance(value, list) else str(value)
