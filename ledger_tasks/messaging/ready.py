"""Broker settings come in, a publisher whose queues all exist goes out: whoever publishes first declares them."""

from collections.abc import Iterator
from contextlib import contextmanager

import amqp

from ledger_tasks.errors import DependencyDownError
from ledger_tasks.messaging.publish import BrokerAwayError, Publisher
from ledger_tasks.messaging.topology import declare, receipts_topology
from ledger_tasks.settings import BrokerSettings


@contextmanager
def ready_publisher(settings: BrokerSettings) -> Iterator[Publisher]:
    """Give a publisher of the receipts half. Raises DependencyDownError or ConfigurationError before anything else."""
    with Publisher(settings.rabbitmq_url.get_secret_value()) as publisher:
        try:
            declare(publisher.connection(), receipts_topology(settings.receipt_retry_seconds))
        except (BrokerAwayError, OSError, amqp.AMQPError) as error:
            raise DependencyDownError(
                f"the broker cannot be used ({type(error).__name__}); nothing was published",
                remedy="Start RabbitMQ or correct RABBITMQ_URL, then run the same again.",
                next_command="ledger doctor",
            ) from None
        yield publisher
