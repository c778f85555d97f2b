"""A collector beside a real database: events go in under its own role, rows are read as the owner sees them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from kombu import Connection
from pydantic import SecretStr
from sqlalchemy import Engine, text

from contracts.receipts.results import ResultEvent
from ledger_tasks.collector.apply import collect
from ledger_tasks.collector.outcome import Outcome
from ledger_tasks.messaging.message import result_message
from ledger_tasks.messaging.publish import Publisher
from ledger_tasks.messaging.topology import declare, receipts_topology
from ledger_tasks.storage.database import connect
from tests.support.amqp import PlainClient
from tests.support.events import source
from tests.support.servers import Broker, Database

NOW = datetime(2026, 8, 15, 9, 30, tzinfo=UTC)

TABLES = {
    "ingest.receipts": "",
    "ingest.receipt_paths": "",
    "ingest.receipt_processing_status": "",
    "budget.receipt_evidence": "id",
    "budget.expenses": "id evidence_id created_at",
    "budget.expense_items": "expense_id",
    "budget.receipt_reprocess_requests": "",
    "budget.receipt_cache_requests": "",
    "budget.receipt_ocr_runs": "",
    "budget.receipt_ocr_passes": "",
    "budget.receipt_ocr_artifacts": "",
    "budget.ocr_result_events": "",
    "budget.dead_letters": "",
}
"""Every table that the collector writes, and its columns that are numbers or times of the database's own."""


COUNT = "SELECT count(*) FROM budget.ocr_result_events"


@dataclass
class Desk:
    """One database with a collector."""

    engine: Engine
    owner: Engine

    def collect(self, *events: ResultEvent, at: datetime = NOW) -> list[Outcome]:
        return collect(events, self.engine, at)

    def rows(self, query: str, **values: Any) -> list[tuple[Any, ...]]:
        with self.owner.begin() as connection:
            return [tuple(row) for row in connection.execute(text(query), values)]

    def run(self, statement: str, **values: Any) -> None:
        with self.owner.begin() as connection:
            connection.execute(text(statement), values)

    def clear(self) -> None:
        self.run(f"TRUNCATE {', '.join(TABLES)}, budget.receipt_corrections RESTART IDENTITY CASCADE")

    def status(self, name: str) -> tuple[Any, ...] | None:
        """Status, error code and open reasons of the file `name`."""
        found = self.rows(
            "SELECT status, last_error_code, coalesce(review_reasons, '{}') FROM ingest.receipt_processing_status "
            "LEFT JOIN budget.receipt_evidence USING (source_sha256) WHERE source_sha256 = :source",
            source=source(name),
        )
        return found[0] if found else None

    def content(self, *without: str) -> dict[str, list[str]]:
        """Every row of every table as sorted text, without the database's own numbers."""
        return {
            table: sorted(
                row[0]
                for row in self.rows(
                    f"SELECT (to_jsonb(t) - CAST(:own AS text[]))::text FROM {table} AS t", own=own.split()
                )
            )
            for table, own in TABLES.items()
            if table not in without
        }


@pytest.fixture
def desk(database: Database) -> Iterator[Desk]:
    engine, owner = connect(SecretStr(database.url_of("ledger_collector"))), connect(SecretStr(database.url))
    made = Desk(engine, owner)
    made.clear()
    yield made
    engine.dispose()
    owner.dispose()


class Results(PlainClient):
    """A client of the results queue, which `send` fills as OCR workers do."""

    def __init__(self, broker: Broker) -> None:
        super().__init__(broker.url)
        self._url = broker.url

    def send(self, *events: ResultEvent) -> None:
        with Publisher(self._url) as publisher:
            publisher.publish([result_message(event) for event in events])


@pytest.fixture
def results(broker: Broker) -> Iterator[Results]:
    with Connection(broker.url) as connection:
        declare(connection, receipts_topology(1))
    made = Results(broker)
    yield made
    made.close()
