"""One planted fault each, so that the audit cannot be blind: `SABOTAGE=drop|double|stick` must end non-zero."""

from sqlalchemy import Engine, text

from ledger_tasks.messaging.topology import RECEIPTS
from tests.chaos.world import World
from tests.support.amqp import PlainClient, wait_until
from tests.support.deliveries import body_of


def drop(world: World) -> None:
    """Take one work message away in silence, before a worker sees it, and let no duplicate or refresh heal that."""
    client = PlainClient(world.broker.url)
    wait_until(lambda: client.ready(RECEIPTS.work) > 0, "work that waits")
    world.bodies.remove(body_of(client.channel.basic_get(RECEIPTS.work, no_ack=True)))
    client.close()


def double(engine: Engine) -> None:
    """Book one receipt a second time."""
    with engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO budget.expenses (merchant, date, currency, total)"
                " SELECT merchant, date, currency, total FROM budget.expenses LIMIT 1"
            )
        )


def stick(engine: Engine) -> None:
    """Leave one receipt in the middle for ever."""
    with engine.begin() as connection:
        connection.execute(
            text(
                "UPDATE ingest.receipt_processing_status SET status = 'processing', completed_at = NULL"
                " WHERE source_sha256 = (SELECT min(source_sha256) FROM ingest.receipt_processing_status)"
            )
        )
