"""Who decides what: Infrastructure: PostgreSQL.

Away, or a deadlock or serialization failure: held, then handed back; spends no attempt, dead-letters nothing.
"""

import time

import psycopg
import pytest

from ledger_tasks.errors import Infrastructure
from ledger_tasks.messaging.topology import RESULTS
from ledger_tasks.storage.database import transaction
from tests.support.amqp import wait_until
from tests.support.desk import COUNT
from tests.support.events import passed
from tests.support.faults import kill
from tests.support.servers import Database, fresh

WAITING = 100


def counted(url):
    try:
        with psycopg.connect(url, connect_timeout=2) as connection:
            return connection.execute(COUNT).fetchone()[0]
    except psycopg.OperationalError:
        return -1


@pytest.mark.case("C039")
@pytest.mark.parametrize(
    ("outage", "hold"), [(5, 3), pytest.param(120, 30, marks=[pytest.mark.matrix, pytest.mark.timeout(400)])]
)
def test_a_database_that_is_away_while_a_hundred_results_wait_costs_nothing(
    own_stack, broker, results, run_role, outage, hold
):
    own_stack.start("postgresql")
    database = Database(own_stack.postgresql, fresh("killed"))
    database.create()
    environment = broker.environment | database.environment_of("ledger_collector") | {"HOLD_SECONDS": str(hold)}
    collector = run_role("collector", environment=environment)
    kill(own_stack, "postgresql")
    begun = time.monotonic()
    results.send(*(passed(f"f{number}", f"r{number}") for number in range(WAITING)))
    wait_until(lambda: collector.holding() == "DATABASE_UNAVAILABLE", "health to say what is waited for")
    wait_until(lambda: results.ready(RESULTS.retry) > 0, "events handed back while the database is away")
    time.sleep(max(0, begun + outage - time.monotonic()))  # the outage itself is what is tested
    assert results.ready(RESULTS.dead) == 0
    own_stack.start("postgresql")
    wait_until(lambda: counted(database.url) == WAITING, "all events after the return of the database")
    wait_until(lambda: collector.holding() == "", "health to say that it is over")
    assert results.ready(RESULTS.dead) == 0


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        ("SELECT pg_terminate_backend(pg_backend_pid())", "stopping"),
        ("SET LOCAL statement_timeout = 1; SELECT pg_sleep(1)", "took too long"),
        ("SET TRANSACTION READ ONLY; CREATE TABLE t ()", "read-only"),
        ("SELECT * FROM ingest.nothing", "database upgrade"),
        ("DO $$ BEGIN RAISE deadlock_detected; END $$", "in the way"),
        ("DO $$ BEGIN RAISE serialization_failure; END $$", "in the way"),
        ("DO $$ BEGIN RAISE disk_full; END $$", "short of"),
        ("DO $$ BEGIN RAISE too_many_connections; END $$", "short of"),
    ],
)
def test_trouble_of_the_server_is_infrastructure_whatever_its_kind(desk, trouble, said):
    with pytest.raises(Infrastructure, match=said), transaction(desk.owner) as connection:
        connection.exec_driver_sql(trouble, execution_options={"no_parameters": True})
