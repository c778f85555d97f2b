"""Celery's consumer, made to take bare contracts: each delivery of a contract queue becomes exactly one task call."""

import json
import time
from collections.abc import Callable
from typing import Any, ClassVar, Final

from celery.utils.log import get_logger
from celery.worker.consumer import Consumer
from celery.worker.consumer.delayed_delivery import DelayedDelivery
from celery.worker.state import maybe_shutdown
from kombu.message import Message as KombuMessage
from kombu.transport.pyamqp import Message as AmqpMessage

from ledger_tasks.clock import new_id
from ledger_tasks.errors import ConfigurationError, DependencyDownError
from ledger_tasks.messaging.delivery import Delivery
from ledger_tasks.messaging.topology import declare

FIRST_PAUSE: Final = 0.5
LONGEST_PAUSE: Final = 10.0
"""Seconds between two looks for a topology that this user may not declare."""

logger = get_logger(__name__)


class UntouchedMessage(AmqpMessage):
    """A message whose body stays as it came: a foreign `compression` header may not unpack a bomb in this process."""

    def __init__(self, msg: Any, channel: Any = None, **options: Any) -> None:
        headers = msg.properties.get("application_headers") or {}
        msg.properties["application_headers"] = {
            name: value for name, value in headers.items() if name != "compression"
        }
        super().__init__(msg, channel=channel, **options)


class TaskCall(KombuMessage):
    """A task call as Celery's protocol has it; Celery asks for its payload, which need not be decoded again."""

    def __init__(self, payload: list[Any], **options: Any) -> None:
        super().__init__(body=json.dumps(payload), **options)
        self._payload = payload

    @property
    def payload(self) -> list[Any]:
        """Return positional arguments, keyword arguments and options."""
        return self._payload


class ContractConsumer(Consumer):
    """A consumer without delayed-delivery queues that never acknowledges what it did not understand."""

    class Blueprint(Consumer.Blueprint):  # type: ignore[misc, valid-type]
        """The stock steps but one: DelayedDelivery declares 28 queues that direct exchanges never use."""

        default_steps: ClassVar = [
            step for step in Consumer.Blueprint.default_steps if not step.endswith(f":{DelayedDelivery.__name__}")
        ]

    def connect(self) -> Any:
        """Connect and declare what this role uses, also after a broker that lost its data.

        Waits with back-off for what is missing and may not be declared. Raises ConfigurationError.
        """
        connection: Any = super().connect()
        try:
            self._await_topology(connection)
        except ConfigurationError as error:
            self._ledger_app.ledger_failure = error
            raise
        connection.default_channel.Message = UntouchedMessage
        return connection

    def create_task_handler(self, *arguments: Any, **options: Any) -> Callable[[KombuMessage], Any]:
        """Return the stock handler; when this app takes contracts, in front of it the translation to a task call."""
        handle: Callable[[KombuMessage], Any] = super().create_task_handler(*arguments, **options)
        task: str | None = self._ledger_app.ledger_contract_task
        if task is None:
            return handle
        return lambda message: handle(task_call(message, task))

    def on_decode_error(self, message: KombuMessage, exc: Exception) -> None:
        """Dead-letter what cannot be decoded; the stock consumer acknowledges, so loses it."""
        message.reject_log_error(logger, self.connection_errors, requeue=False)  # type: ignore[attr-defined]
        logger.error("undecodable message rejected: %s", type(exc).__name__)

    @property
    def _ledger_app(self) -> Any:
        return self.app

    def _await_topology(self, connection: Any) -> None:
        pause = FIRST_PAUSE
        while True:
            try:
                declare(connection, self._ledger_app.ledger_specs)
            except DependencyDownError as error:
                logger.warning("waiting for the topology: %s", error.message)
                self._ledger_app.ledger_waiting(error.message)
                maybe_shutdown()
                time.sleep(pause)
                pause = min(pause * 2, LONGEST_PAUSE)
            else:
                return


def task_call(message: KombuMessage, task: str) -> KombuMessage:
    """Turn any delivery into one call of `task` that settles the same delivery tag, with a fresh task id."""
    properties, headers = message.properties or {}, message.headers or {}
    delivery = Delivery.from_amqp(
        _bytes(message.body), properties, headers, redelivered=bool((message.delivery_info or {}).get("redelivered"))
    )
    return TaskCall(
        [[delivery.to_call()], {}, {}],
        channel=message.channel,
        delivery_tag=message.delivery_tag,
        delivery_info=message.delivery_info,
        content_type="application/json",
        content_encoding="utf-8",
        headers=_headers(task, delivery),
        accept={"application/json"},
    )


def _headers(task: str, delivery: Delivery) -> dict[str, Any]:
    told = delivery.message_id or f"{len(delivery.body)} bytes without a message id"
    return {
        "lang": "py",
        "task": task,
        "id": new_id(),
        "root_id": delivery.message_id,
        "argsrepr": f"({told}, {delivery.type or 'no type'})",
        "kwargsrepr": "{}",
        "retries": 0,
        "timelimit": [None, None],
    }


def _bytes(body: Any) -> bytes:
    return body.encode("utf-8") if isinstance(body, str) else bytes(body)
