"""Receipt roots for benchmarks of scans: a tree on disk, its rows as the collector leaves them, and a publisher."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg

from ledger_tasks.devstack.stack import Stack
from ledger_tasks.discovery.scan import Scanned
from ledger_tasks.discovery.start import run_scan
from ledger_tasks.discovery.summary import Summary
from ledger_tasks.files.stat_index import look
from ledger_tasks.settings import PublisherSettings
from tests.support.servers import FOLDER, Broker, Database, Volumes, fresh, throwaway_stack

PER_FOLDER = 1000


@dataclass(frozen=True)
class Inbox:
    """One root with its own virtual host and database."""

    volumes: Volumes
    broker: Broker
    database: Database

    @property
    def environment(self) -> dict[str, str]:
        login = self.database.environment_of("ledger_publisher")
        return self.broker.environment | login | self.volumes.environment

    def scan(self) -> Summary:
        values = {name.lower(): value for name, value in self.environment.items()}
        result = run_scan(PublisherSettings(**values), self.volumes.root, patience=0, on_invalid=print)  # type: ignore[arg-type]
        assert isinstance(result, Scanned)
        assert result.trouble is None, result.trouble
        return result.summary

    def put(self, files: int, content: bytes) -> None:
        """Write files that differ in their first bytes, a thousand to a folder."""
        for number in range(files):
            path = self.volumes.root / f"2026-{number // PER_FOLDER:04}" / f"receipts_20260814_{number:06}.pdf"
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(b"%08d" % number + content)

    def complete(self) -> None:
        """Let every file be a receipt that is done, with its cache, known to the stat index."""
        with psycopg.connect(self.database.url, autocommit=True) as connection:
            rows = [_row(path, self.volumes) for path in self.volumes.root.glob("*/*.pdf")]
            _copy(connection, "ingest.receipts (source_sha256, source_reference)", [(row[1], row[0]) for row in rows])
            _copy(connection, "ingest.receipt_paths (source_reference, source_sha256)", [row[:2] for row in rows])
            _copy(
                connection,
                "ingest.receipt_processing_status (source_sha256, status, attempts, completed_at)",
                [(row[1], "succeeded", 1, "2026-08-14T12:00:00Z") for row in rows],
            )
            for kind, suffix, place in (("source", "", 2), ("cache", ".json", 3)):
                _copy(
                    connection,
                    "ingest.source_index (kind, path, device, inode, size_bytes, mtime_ns, ctime_ns, sha256)",
                    [(kind, row[0] + suffix, *row[place], row[1]) for row in rows],
                )
            connection.execute("VACUUM ANALYZE")


@contextmanager
def places(name: str) -> Iterator[tuple[Stack, Path]]:
    """Give a throwaway stack with broker and database, and a folder for inboxes."""
    with throwaway_stack(f"bench-{name}") as stack, TemporaryDirectory(dir=FOLDER) as folder:
        stack.start("rabbitmq", "postgresql")
        yield stack, Path(folder)


def make_inbox(stack: Stack, folder: Path) -> Inbox:
    """Make an empty inbox in a new folder."""
    folder.mkdir()
    volumes = Volumes(folder / "receipts", folder / "ocr-cache")
    volumes.create()
    return anew(stack, volumes)


def anew(stack: Stack, volumes: Volumes) -> Inbox:
    """Give these volumes an empty virtual host and an empty database."""
    made = Inbox(volumes, Broker(stack.rabbitmq, fresh("bench")), Database(stack.postgresql, fresh("bench")))
    made.broker.create()
    made.database.create()
    return made


def _row(path: Path, volumes: Volumes) -> tuple[str, str, object, object]:
    reference = str(path.relative_to(volumes.root))
    cache = volumes.cache / f"{reference}.json"
    cache.parent.mkdir(exist_ok=True)
    cache.write_bytes(b"{}")
    return reference, hashlib.sha256(reference.encode()).hexdigest(), look(os.fspath(path)), look(os.fspath(cache))


def _copy(connection: psycopg.Connection, into: str, rows: list[tuple]) -> None:
    with connection.cursor().copy(f"COPY {into} FROM STDIN") as copy:
        for row in rows:
            copy.write_row(row)
