"""RabbitMQ: reachable, of a version without known traps, and with exactly the topology that we need."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from amqp import Message
from amqp.exceptions import AccessRefused, NotFound
from kombu import Connection

from ledger_tasks.doctor.finding import Finding
from ledger_tasks.errors import ConfigurationError, DependencyDownError
from ledger_tasks.messaging.counts import Built, built
from ledger_tasks.messaging.depth import depth_of
from ledger_tasks.messaging.permissions import PERMISSIONS
from ledger_tasks.messaging.publish import BrokerAwayError, Publisher
from ledger_tasks.messaging.topology import EPOCH, QueueSpec, declare, topology
from ledger_tasks.settings import BrokerSettings
from ledger_tasks.settings.parts import ManagementSettings

RETRY_SECONDS: Final = 60
OLDEST: Final = (3, 10)
"""Quorum queues know a message TTL since 3.10: our retry queues need it."""

FULL: Final = 0.8
"""Part of a queue's limit at which publishers will soon be refused."""


def examine_broker(settings: BrokerSettings, operator: ManagementSettings) -> Iterator[Finding]:
    """Yield what is found; raises DependencyDownError when nothing answers.

    A user who may not declare sees the arguments of queues through the management API alone.
    """
    with Publisher(settings.rabbitmq_url.get_secret_value()) as publisher:
        try:
            connection = publisher.connection()
        except BrokerAwayError as error:
            raise DependencyDownError(
                f"RabbitMQ does not answer ({error})", remedy="Start it or correct RABBITMQ_URL."
            ) from None
        version = str(connection.connection.server_properties.get("version", "unknown"))
        yield version_finding(version)
        url = operator.rabbitmq_management_url
        found = built(url.get_secret_value(), connection.virtual_host) if url else None
        if url and found is None:
            yield Finding("management API", "warning", "it does not answer", "Correct RABBITMQ_MANAGEMENT_URL.")
        for spec in topology(settings.receipt_retry_seconds):
            yield _queue(connection, spec, found)
        yield _permissions(connection)
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


def differences(wanted: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """Compare arguments; a number and a text of the same digits differ, for the broker too."""

    def told(arguments: Mapping[str, Any], name: str) -> str:
        return f"{arguments[name]!r} ({type(arguments[name]).__name__})" if name in arguments else "nothing"

    names = sorted(wanted.keys() | found.keys())
    pairs = [(name, told(wanted, name), told(found, name)) for name in names]
    return [f"{name}: wanted {want}, found {have}" for name, want, have in pairs if want != have]


def _queue(connection: Connection, spec: QueueSpec, shown: Built | None) -> Finding:
    check = f"queue {spec.name}"
    try:
        with connection.channel() as opened:
            ready, consumers = depth_of(opened, spec.name)
    except (AccessRefused, BrokerAwayError, NotFound) as error:
        return _unseen(check, error)
    try:
        was_compared = _compare(connection, spec, shown)
    except ConfigurationError as error:
        return Finding(check, "wrong", error.message, error.remedy)
    limit = spec.arguments.get("x-max-length", 0)
    if spec.name != EPOCH and limit > 1 and ready > FULL * limit:
        return Finding(check, "warning", f"{ready} of {limit} messages", "Find out why nobody takes them.")
    told = f"{ready} ready, {consumers} consumers"
    if not was_compared:
        remedy = "Set RABBITMQ_MANAGEMENT_URL, of the user `operator`."
        return Finding(check, "skipped", f"{told}; its arguments are not shown to this user", remedy)
    return Finding(check, "ok", told)


def _unseen(check: str, error: AccessRefused | BrokerAwayError | NotFound) -> Finding:
    if isinstance(error, NotFound):
        return Finding(check, "warning", "it is missing; the first process that may declare makes it")
    if isinstance(error, AccessRefused):
        return Finding(check, "skipped", "this user may not look at it")
    return Finding(check, "wrong", str(error), "See the log of the node that leads it, and its disk.")


def _permissions(connection: Connection) -> Finding:
    """Try what this user may write; reading cannot be tried without taking a message."""
    user = str(connection.userid)
    if user not in PERMISSIONS:
        return Finding("broker permissions", "skipped", f"{user} is none of the shipped users")
    may = {spec.name for spec in topology() if _may_write(connection, spec.name)}
    wanted = PERMISSIONS[user].writes
    wrong = [f"{user} may not write {name}" for name in sorted(wanted - may)]
    wrong += [f"{user} may write {name}" for name in sorted(may - wanted)]
    if wrong:
        return Finding("broker permissions", "wrong", "; ".join(wrong), "Load the shipped definitions.")
    return Finding("broker permissions", "ok", f"{user} writes {', '.join(sorted(may)) or 'nowhere'}")


def _may_write(connection: Connection, exchange: str) -> bool:
    try:
        with connection.channel() as opened:
            channel: Any = opened
            # Nothing is bound to this key: what is permitted goes nowhere.
            channel.basic_publish(Message(b""), exchange=exchange, routing_key="doctor")
            channel.exchange_declare(exchange, "direct", passive=True)  # a refusal comes with the next answer
    except AccessRefused:
        return False
    except NotFound:
        return False  # the finding of its queue says so
    return True


def _compare(connection: Connection, spec: QueueSpec, shown: Built | None) -> bool:
    """Return whether arguments could be compared. Raises ConfigurationError where they are others."""
    if shown is None:
        return not declare(connection, [spec])
    wrong = differences(spec.queue_arguments, shown.arguments.get(spec.name, {}))
    if (spec.name, spec.name, spec.routing_key) not in shown.bindings:
        wrong.append(f"exchange {spec.name} is not bound to it with {spec.routing_key}")
    if wrong:
        remedy = "Load the shipped definitions; drain and delete a queue with other arguments before."
        raise ConfigurationError("; ".join(wrong), remedy=remedy)
    return True
