"""A publisher beside real servers: files in a root, the real command as a process, the queue as the broker sees it."""

import json
import os
import subprocess
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from kombu import Connection

from ledger_tasks import cli

LEDGER = Path(sysconfig.get_path("scripts")) / "ledger"
QUIET = "0.05"


@dataclass
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@dataclass
class Inbox:
    """The root of one test, and what a person sees of it from outside."""

    root: Path
    cache: Path
    environment: dict[str, str]
    database_url: str
    broker_url: str
    capsys: pytest.CaptureFixture[str]

    def put(self, reference, content=None):
        path = self.root / reference
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(reference.encode() if content is None else content)
        return path

    def start(self, *words, **more):
        """Run the command as a process of its own."""
        base = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        environment = {**base, **self.environment, **more}
        return subprocess.Popen(
            [LEDGER, *words], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def run(self, *words, **more):
        """Run the command in this process, as `ledger` itself does."""
        with pytest.MonkeyPatch.context() as patch:
            for name, value in {**self.environment, **more}.items():
                patch.setenv(name, value)
            self.capsys.readouterr()
            code = cli.run(words)
        return Ran(code, *self.capsys.readouterr())

    def publish(self, *words, **more):
        """Run a scan that ends well and return its line."""
        ran = self.run("receipts", "publish", *words, **more)
        assert ran.code == 0, ran.err
        return ran.json

    def ready(self, queue="receipts.v1.work"):
        with Connection(self.broker_url) as connection, connection.channel() as channel:
            return channel.queue_declare(queue, passive=True).message_count

    def bodies(self, queue="receipts.v1.work"):
        """Take every message from a queue."""
        with Connection(self.broker_url) as connection, connection.channel() as channel:
            taken = iter(lambda: channel.basic_get(queue, no_ack=True), None)
            return [json.loads(message.body) for message in taken]

    def empty_queue(self, queue="receipts.v1.work"):
        with Connection(self.broker_url) as connection, connection.channel() as channel:
            channel.queue_purge(queue)

    def delete_queue(self, queue):
        with Connection(self.broker_url) as connection, connection.channel() as channel:
            channel.queue_delete(queue)

    def sql(self, statement, *values):
        with psycopg.connect(self.database_url, autocommit=True) as connection:
            cursor = connection.execute(statement, values)
            return cursor.fetchall() if cursor.description else []

    def complete_all(self, status="succeeded"):
        """Say what the collector says when every published receipt is done."""
        self.sql(
            "INSERT INTO ingest.receipt_processing_status (source_sha256, status, attempts, completed_at) "
            "SELECT source_sha256, %s, 1, now() FROM ingest.receipts ON CONFLICT DO NOTHING",
            status,
        )
        self.sql("UPDATE ingest.publications SET state='ended', ended_at=now(), end_reason='completed'")

    def fail(self, sha256, code, *, terminal=True, attempts=1):
        self.sql(
            "INSERT INTO ingest.receipt_processing_status "
            "(source_sha256, status, attempts, terminal, last_error, last_error_code) "
            "VALUES (%s, 'failed', %s, %s, '', %s)",
            sha256,
            attempts,
            terminal,
            code,
        )
        self.sql("UPDATE ingest.publications SET state='ended', ended_at=now(), end_reason='failed'")


@pytest.fixture
def inbox(broker, database, volumes, capsys):
    environment = broker.environment | volumes.environment | database.environment_of("ledger_publisher")
    return Inbox(
        volumes.root,
        volumes.cache,
        environment | {"RECEIPT_QUIET_SECONDS": QUIET},
        database.url,
        broker.url,
        capsys,
    )
