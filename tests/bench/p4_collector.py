"""P4: 5000 result events in groups, against one psycopg transaction per event with the same statements.

The reference is given everything but the database: it decides nothing, it replays the statements that collecting each
event alone sends, without our savepoints. Once without a queue on either side; once from a filled queue, where ours is
the real role and the reference a bare consumer that acknowledges after its commit.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
from kombu import Connection
from pydantic import SecretStr
from sqlalchemy import Engine, event, text

from contracts.receipts.results import ResultEvent
from ledger_tasks.collector.apply import collect
from ledger_tasks.messaging.message import result_message
from ledger_tasks.messaging.publish import Publisher
from ledger_tasks.messaging.topology import RESULTS, declare, receipts_topology
from ledger_tasks.storage.database import connect
from tests.bench.harness import Row, alternate, rate_row, seconds
from tests.support.events import completed, passed, receipt
from tests.support.roles import RunningRole
from tests.support.servers import Broker, Database, fresh, throwaway_stack

EVENTS = 5000
GROUP = 32
"""As many as the collector has in hand."""
ROUNDS = 3
AT = datetime(2026, 8, 15, tzinfo=UTC)
Statements = list[tuple[str, Any]]

TABLES = {
    "budget.receipt_evidence": "id updated_at",
    "budget.expenses": "id evidence_id created_at",
    "budget.expense_items": "expense_id",
    "budget.receipt_ocr_runs": "collected_at",
    "budget.receipt_ocr_passes": "",
    "budget.receipt_ocr_artifacts": "",
    "budget.ocr_result_events": "collected_at",
    "ingest.receipt_processing_status": "completed_at updated_at",
}


def run() -> list[Row]:
    events = made_events()
    with throwaway_stack("bench-p4") as stack, ExitStack() as end:
        stack.start("rabbitmq", "postgresql")
        database = Database(stack.postgresql, fresh("p4"))
        database.create()
        engine = connect(SecretStr(database.url_of("ledger_collector")))
        owner = connect(SecretStr(database.url))
        plain = end.enter_context(psycopg.connect(database.url_of("ledger_collector")))
        replayed = recorded(engine, owner, events)
        grouped, one_each = alternate(
            ROUNDS,
            emptied(owner, lambda: in_groups(engine, events)),
            emptied(owner, lambda: one_transaction_each(plain, replayed.values())),
        )
        assert contents(owner) == emptied_contents(owner, lambda: in_groups(engine, events)), "other rows"
        queue = Queue(stack.rabbitmq, events)
        folder = Path(end.enter_context(TemporaryDirectory()))
        role, consumer = alternate(
            ROUNDS,
            lambda: by_the_role(queue, database, owner, folder),
            lambda: by_a_consumer(queue, owner, plain, replayed),
        )
    return [
        rate_row("P4", "collect 5000 events in groups / one transaction each", EVENTS, grouped, one_each, 3),
        rate_row("P4", "the role on a full queue / a consumer, one transaction each", EVENTS, role, consumer, 3),
    ]


def made_events() -> list[ResultEvent]:
    """Return receipts of six items, each with two passes, as they come from the OCR workers."""
    items = [{"description": f"Thing {n}", "quantity": "1", "unit_price": "3.00", "total": "3.00"} for n in range(6)]
    made: list[ResultEvent] = []
    for number in range(EVENTS // 3 + 1):
        name, shop = f"file {number}", f"Shop {number % 40}"
        said = receipt(
            items=items, merchant=shop, transaction_date="2026-08-14", currency="EUR", total=f"{number}.50"
        ) | {"raw_text": "a line of the receipt\n" * 40}
        made += [passed(name, name, 1), completed(name, name, generation=1, said=said), passed(name, name, 2)]
    return made[:EVENTS]


def recorded(engine: Engine, owner: Engine, events: Sequence[ResultEvent]) -> dict[str, Statements]:
    """Return, by event id, the statements that collecting each event alone sends to the server."""
    sent: Statements = []

    def record(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if "SAVEPOINT" not in statement:
            sent.append((statement, parameters))

    clear(owner)
    by_event: dict[str, Statements] = {}
    event.listen(engine, "before_cursor_execute", record)
    for each in events:
        sent.clear()
        collect([each], engine, AT)
        by_event[each.message_id] = list(sent)
    event.remove(engine, "before_cursor_execute", record)
    return by_event


def in_groups(engine: Engine, events: Sequence[ResultEvent]) -> None:
    for start in range(0, len(events), GROUP):
        collect(events[start : start + GROUP], engine, AT)


def one_transaction_each(connection: psycopg.Connection, replayed: Any) -> None:
    for statements in replayed:
        in_one_transaction(connection, statements)


def in_one_transaction(connection: psycopg.Connection, statements: Statements) -> None:
    with connection.transaction():
        for statement, parameters in statements:
            connection.execute(statement, parameters)


class Queue:
    """Virtual hosts whose results queue holds all the events."""

    def __init__(self, server: Any, events: Sequence[ResultEvent]) -> None:
        self._server = server
        self._messages = [result_message(each) for each in events]

    def filled(self) -> Broker:
        broker = Broker(self._server, fresh("p4"))
        broker.create()
        with Connection(broker.url) as connection, Publisher(broker.url) as publisher:
            declare(connection, receipts_topology(1))
            publisher.publish(self._messages)
        return broker


def by_the_role(queue: Queue, database: Database, owner: Engine, folder: Path) -> float:
    """Measure the real role from the first commit to the last, as if the first group had taken no time off the rest."""
    clear(owner)
    broker = queue.filled()
    environment = broker.environment | database.environment_of("ledger_collector") | {"LEDGER_CELERY_EVENTS": "false"}
    role = RunningRole(("collector",), environment, folder / broker.virtual_host)
    try:
        while (first := collected(owner)) == 0:
            time.sleep(0.002)
        begun = time.perf_counter()
        while collected(owner) < EVENTS:
            time.sleep(0.02)
        return (time.perf_counter() - begun) * EVENTS / (EVENTS - first)
    finally:
        role.end()
        broker.delete()


def by_a_consumer(queue: Queue, owner: Engine, plain: psycopg.Connection, replayed: dict[str, Statements]) -> float:
    """Measure a bare consumer: prefetch as ours, commit, acknowledge, next."""
    clear(owner)
    broker = queue.filled()
    with Connection(broker.url) as connection:
        channel = connection.channel()
        channel.basic_qos(0, GROUP, False)
        left = EVENTS

        def on_message(message: Any) -> None:
            nonlocal left
            in_one_transaction(plain, replayed[message.properties["message_id"]])
            channel.basic_ack(message.delivery_tag)
            left -= 1

        channel.basic_consume(RESULTS.work, callback=on_message)

        def drain() -> None:
            while left:
                connection.drain_events(timeout=60)

        taken = seconds(drain)
    broker.delete()
    return taken


def emptied(owner: Engine, work: Callable[[], None]) -> Callable[[], float]:
    """Measure on empty tables each time."""

    def measured() -> float:
        clear(owner)
        return seconds(work)

    return measured


def emptied_contents(owner: Engine, work: Callable[[], None]) -> dict[str, str]:
    clear(owner)
    work()
    return contents(owner)


def clear(owner: Engine) -> None:
    with owner.begin() as connection:
        connection.execute(text(f"TRUNCATE ingest.receipts, {', '.join(TABLES)} RESTART IDENTITY CASCADE"))


def collected(owner: Engine) -> int:
    with owner.connect() as connection:
        return int(connection.execute(text("SELECT count(*) FROM budget.ocr_result_events")).scalar_one())


def contents(owner: Engine) -> dict[str, str]:
    """Return a digest of the rows of each table, without the database's own numbers and times."""
    with owner.connect() as connection:
        return {
            table: str(
                connection.execute(
                    text(
                        "SELECT md5(string_agg(row, ',' ORDER BY row)) FROM "
                        f"(SELECT (to_jsonb(t) - CAST(:own AS text[]))::text AS row FROM {table} t) AS rows"
                    ),
                    {"own": own.split()},
                ).scalar_one()
            )
            for table, own in TABLES.items()
        }
