"""The canary goes through the whole chain, is seen to arrive, and leaves nothing in the bookkeeping."""

from pydantic import SecretStr
from sqlalchemy import Engine, create_engine, text

from ledger_tasks.discovery.walk import walk
from ledger_tasks.files.canary import REFERENCE
from ledger_tasks.housekeeping.canary import fly
from ledger_tasks.messaging.publish import Publisher
from ledger_tasks.storage.canary import unseen_seconds
from ledger_tasks.storage.database import connect, transaction
from tests.support.amqp import PlainClient, wait_until


def unseen(engine: Engine) -> float | None:
    with transaction(engine) as connection:
        return unseen_seconds(connection, REFERENCE)


def test_the_canary_arrives_and_nothing_of_it_is_booked(broker, database, volumes, run_role) -> None:
    shared = broker.environment | volumes.environment
    run_role("ocr", environment=shared)
    run_role("collector", environment=shared | database.environment_of("ledger_collector"))
    engine = connect(SecretStr(database.url_of("ledger_publisher")))

    owner = create_engine(database.url.replace("postgresql:", "postgresql+psycopg:", 1))

    def arrivals() -> int:
        with owner.begin() as connection:
            return connection.execute(
                text("SELECT count(completed_at) FROM budget.receipt_cache_requests")
            ).scalar_one()

    assert unseen(engine) is None
    with Publisher(broker.url) as publisher:
        assert fly(engine, publisher, volumes.root, 300)
        sent = unseen(engine)
        wait_until(lambda: arrivals() == 1, "the canary's arrival")
        assert 0 <= unseen(engine) < sent + 60
        assert not fly(engine, publisher, volumes.root, 300), "the next one is not due"

    with owner.begin() as connection:
        for table in ("budget.receipt_evidence", "budget.expenses", "ingest.receipt_processing_status"):
            assert connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one() == 0, table
        lease = connection.execute(text("SELECT state, end_reason FROM ingest.publications")).one()
        assert tuple(lease) == ("ended", "completed")
    assert list(walk(volumes.root)) == [], "no scan meets it"


def test_a_canary_that_does_not_arrive_is_not_followed_by_others(broker, database, volumes) -> None:
    engine = connect(SecretStr(database.url_of("ledger_publisher")))
    from ledger_tasks.messaging.topology import declare, receipts_topology

    with Publisher(broker.url) as publisher:
        declare(publisher.connection(), receipts_topology(1))
        flights = [fly(engine, publisher, volumes.root, 0.001) for _ in range(3)]
    assert flights == [True, False, False]
    first = unseen(engine)
    wait_until(lambda: unseen(engine) > first, "its absence to grow")
    client = PlainClient(broker.url)
    assert client.ready("receipts.v1.work") == 1
    client.close()
