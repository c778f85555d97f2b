"""RabbitMQ: reachable, of a version without known traps, and with exactly the topology that we need."""

import re
from collections.abc import Iterator
from typing import Any, Final

from amqp.exceptions import AccessRefused, NotFound
from kombu import Connection

from ledger_tasks.doctor.finding import Finding
from ledger_tasks.errors import ConfigurationError, DependencyDownError
from ledger_tasks.messaging.publish import BrokerAwayError, Publisher
from ledger_tasks.messaging.topology import EPOCH, QueueSpec, declare, topology
from ledger_tasks.settings import BrokerSettings

RETRY_SECONDS: Final = 60
OLDEST: Final = (3, 10)
"""Quorum queues know a message TTL since 3.10: our retry queues need it."""

FULL: Final = 0.8
"""Part of a queue's limit at which publishers will soon be refused."""


def examine_broker(settings: BrokerSettings) -> Iterator[Finding]:
    """Yield what is found; raises DependencyDownError when nothing answers."""
    with Publisher(settings.rabbitmq_url.get_secret_value()) as publisher:
        try:
            connection = publisher.connection()
        except BrokerAwayError as error:
            raise DependencyDownError(
                f"RabbitMQ does not answer ({error})", remedy="Start it or correct RABBITMQ_URL."
            ) from None
        version = str(connection.connection.server_properties.get("version", "unknown"))
        yield version_finding(version)
        for spec in topology(settings.receipt_retry_seconds):
            yield _queue(connection, spec)
    if settings.receipt_retry_seconds != RETRY_SECONDS:
        told = f"RECEIPT_RETRY_SECONDS is {settings.receipt_retry_seconds:g}, not {RETRY_SECONDS}"
        yield Finding("retry delay", "warning", told, "Unset it outside tests.")


def version_finding(version: str) -> Finding:
    """Judge a version by what is known to lose messages or to refuse our topology."""
    number = tuple(int(each) for each in re.findall(r"\d+", version)[:3])
    if (3, 13, 0) <= number <= (3, 13, 2):
        return Finding(
            "broker version", "wrong", f"{version} drops dead-lettered messages", "Upgrade to 3.13.3 or newer."
        )
    if number[:2] < OLDEST:
        return Finding("broker version", "wrong", f"{version} has no TTL on quorum queues", "Upgrade to 3.10 or newer.")
    if number[:2] < (4, 0):
        told = f"{version} drops a message whose copy carries x-death; our copies never do"
        return Finding("broker version", "ok", told)
    return Finding("broker version", "ok", version)


def _queue(connection: Connection, spec: QueueSpec) -> Finding:
    check = f"queue {spec.name}"
    try:
        with connection.channel() as opened:
            channel: Any = opened
            found = channel.queue_declare(spec.name, passive=True)
    except NotFound:
        return Finding(check, "warning", "it is missing; the first process that may declare makes it")
    except AccessRefused:
        return Finding(check, "skipped", "this user may not look at it")
    try:
        declare(connection, [spec])
    except ConfigurationError as error:
        return Finding(check, "wrong", error.message, error.remedy)
    limit = spec.arguments.get("x-max-length", 0)
    if spec.name != EPOCH and limit > 1 and found.message_count > FULL * limit:
        return Finding(
            check, "warning", f"{found.message_count} of {limit} messages", "Find out why nobody takes them."
        )
    return Finding(check, "ok", f"{found.message_count} ready, {found.consumer_count} consumers")
