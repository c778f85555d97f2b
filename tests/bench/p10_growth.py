"""P10: what people and workers do, with 100 times the receipts in the database, against the same with 1 time.

Growth is history: a receipt every 100 seconds, so that 100 times the receipts are 100 times the days. Status and pages
are measured with every file still there, as the last scan would have left them, and housekeeping up to date.
"""

import os
import statistics
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from datetime import UTC, datetime
from io import StringIO
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import SecretStr
from sqlalchemy import Engine, text

from ledger_tasks.cli import run as ledger
from ledger_tasks.collector.apply import collect
from ledger_tasks.files.canary import REFERENCE
from ledger_tasks.storage.canary import unseen_seconds
from ledger_tasks.storage.counts import differing, fold
from ledger_tasks.storage.database import connect
from ledger_tasks.storage.page_overview import load_counts, load_hours
from ledger_tasks.storage.page_receipt import load_receipt_page
from ledger_tasks.storage.page_receipts import Search, find_receipts, review_place
from ledger_tasks.storage.scans import last_scan
from tests.bench.harness import Row, alternate, seconds, spans
from tests.support.events import completed, receipt
from tests.support.servers import Broker, Database, Volumes, fresh, throwaway_stack

SMALL = 1000
SCALES = (1, 10, 100)
ROUNDS = 5
NEW = 50
"""New receipts that are published, or collected, in one measurement."""

LIMIT = 1.5
AT = datetime(2026, 8, 15, tzinfo=UTC)


@dataclass(frozen=True)
class Place:
    """One installation that holds `receipts` finished ones; every tenth waits for a person, every fiftieth failed."""

    receipts: int
    engine: Engine
    environment: dict[str, str]
    root: Path

    @property
    def source(self) -> str:
        """The hash of one that waits."""
        with self.engine.connect() as connection:
            return str(
                connection.execute(
                    text(
                        "SELECT source_sha256 FROM ingest.receipt_processing_status "
                        "WHERE status = 'review_required' LIMIT 1"
                    )
                ).scalar_one()
            )


def run() -> list[Row]:
    with throwaway_stack("bench-p10") as stack, TemporaryDirectory() as folder:
        stack.start("rabbitmq", "postgresql")
        places = [made(stack, Path(folder), SMALL * scale) for scale in SCALES]
        rows = []
        for name, work in works().items():
            measured = alternate(ROUNDS + 1, *(lambda place=place, work=work: work(place) for place in places))
            small, middle, large = (each[1:] for each in measured)
            ratio = statistics.median(large) / statistics.median(small)
            told = f"{name} (10x: {spans(middle)})"
            rows.append(Row("P10", told, spans(large), spans(small), ratio, f"<= {LIMIT}", ratio <= LIMIT))
        for place in places:
            with place.engine.connect() as connection:
                assert differing(connection) == []
            place.engine.dispose()
    return rows


def works() -> dict[str, Callable[[Place], float]]:
    """Return what is measured: each takes a place and returns seconds."""
    return {
        "publish 50 new": publish,
        "collect 50 new": collect_new,
        "list": lambda place: command(place, "receipts", "list"),
        "list --status review_required": lambda place: command(
            place, "receipts", "list", "--status", "review_required"
        ),
        "review": lambda place: command(place, "receipts", "review", "--json"),
        "show": lambda place: command(place, "receipts", "show", place.source),
        "explain": lambda place: command(place, "receipts", "explain", place.source),
        "status": status,
        "page: overview": lambda place: query(
            place,
            lambda connection: load_counts(connection, REFERENCE),
            lambda connection: unseen_seconds(connection, REFERENCE),
            load_hours,
            last_scan,
        ),
        "page: receipts": lambda place: query(place, lambda connection: find_receipts(connection, Search())),
        "page: review list": lambda place: query(
            place, lambda connection: find_receipts(connection, Search(state="review"))
        ),
        "page: one receipt": lambda place: query(
            place,
            lambda connection: load_receipt_page(connection, place.source),
            lambda connection: review_place(connection, place.source),
        ),
    }


def made(stack, folder: Path, receipts: int) -> Place:
    database, broker = Database(stack.postgresql, fresh("p10")), Broker(stack.rabbitmq, fresh("p10"))
    database.create()
    broker.create()
    home = folder / database.name
    home.mkdir()
    volumes = Volumes(home / "receipts", home / "cache")
    volumes.create()
    engine = connect(SecretStr(database.url))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for statement in FILL:
            connection.execute(text(statement), {"receipts": receipts})
        fold(engine)
        connection.execute(text("VACUUM ANALYZE"))
    environment = broker.environment | database.environment | volumes.environment
    return Place(receipts, engine, environment | {"RECEIPT_QUIET_SECONDS": "0.05"}, volumes.root)


numbers = count()


def publish(place: Place) -> float:
    files = [place.root / f"new-{next(numbers)}.pdf" for _ in range(NEW)]
    for file in files:
        file.write_bytes(os.urandom(1000))
    taken = command(place, "receipts", "publish")
    for file in files:
        file.unlink()
    return taken


def collect_new(place: Place) -> float:
    names = [f"new {next(numbers)}" for _ in range(NEW)]
    said = [
        receipt(merchant="Shop", transaction_date="2026-08-14", currency="EUR", total=f"{next(numbers)}.25")
        for _ in names
    ]
    events = [completed(name, name, generation=1, said=each) for name, each in zip(names, said, strict=True)]
    return seconds(lambda: collect(events, place.engine, AT))


def status(place: Place) -> float:
    """Measure it with every file there, which `publish` did not see, and vacuumed, as it is within a minute."""
    with place.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(FILES))
        fold(place.engine)
        connection.execute(text("VACUUM ANALYZE ingest.source_index, ingest.changed_receipts"))
    return command(place, "status")


def command(place: Place, *words: str) -> float:
    with surroundings(place.environment), redirect_stdout(StringIO()), redirect_stderr(StringIO()) as told:
        codes: list[int] = []
        taken = seconds(lambda: codes.append(ledger(words)))
    assert codes == [0], told.getvalue()
    return taken


def query(place: Place, *queries: Callable) -> float:
    with place.engine.connect() as connection:
        return seconds(lambda: [each(connection) for each in queries])


@contextmanager
def surroundings(environment: dict[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(environment)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


FILES = """
INSERT INTO ingest.source_index
SELECT 'source', source_reference, 1, 1, 1, 1, 1, source_sha256 FROM ingest.receipt_paths
ON CONFLICT DO NOTHING
"""

_NUMBERED = "generate_series(1, :receipts) AS n, LATERAL (SELECT encode(sha256(n::text::bytea), 'hex') AS sha) AS named"
_READ = "n % 50 <> 0"

FILL = [
    f"""
    INSERT INTO ingest.receipts (source_sha256, source_reference, first_seen_at)
    SELECT sha, 'inbox/' || n || '.pdf', now() - make_interval(secs => n * 100) FROM {_NUMBERED}
    """,
    """
    INSERT INTO ingest.receipt_paths (source_reference, source_sha256)
    SELECT source_reference, source_sha256 FROM ingest.receipts
    """,
    f"""
    INSERT INTO budget.receipt_evidence (source_sha256, source_reference, merchant, transaction_date, currency, total,
        fields, items, tax_lines, payments, raw_text, extraction_status, extraction_confidence, review_reasons,
        read_status, read_reasons, run_uuid, generation, updated_at)
    SELECT sha, 'inbox/' || n || '.pdf', 'Shop ' || n % 100, date '2026-08-14', 'EUR', n,
        (SELECT jsonb_object_agg(name, jsonb_build_object('value', NULL, 'raw', NULL, 'confidence', 0, 'source', NULL,
            'page', NULL, 'alternatives', '[]'::jsonb, 'status', 'missing'))
         FROM unnest(ARRAY['merchant', 'address', 'phone', 'tax_ids', 'transaction_date', 'transaction_time',
            'currency', 'country', 'receipt_type', 'receipt_number', 'subtotal', 'tax_total', 'tip', 'service_charge',
            'discount', 'rounding', 'total', 'cash', 'change', 'payment_method', 'card_last4']) AS name),
        '[]', '[]', '[]', repeat('a line of text ', 20), CASE n % 10 WHEN 0 THEN 'review' ELSE 'complete' END, 0.9,
        CASE n % 10 WHEN 0 THEN ARRAY['DATE_AMBIGUOUS'] ELSE '{{}}' END,
        CASE n % 10 WHEN 0 THEN 'review' ELSE 'complete' END,
        CASE n % 10 WHEN 0 THEN ARRAY['DATE_AMBIGUOUS'] ELSE '{{}}' END, gen_random_uuid(), 1, now()
    FROM {_NUMBERED} WHERE {_READ}
    """,
    """
    INSERT INTO budget.receipt_ocr_runs SELECT run_uuid, source_sha256, source_reference, 'normal', NULL, generation,
        true, 1, 'rapidocr', '3', '1', source_sha256, now(), 1, '{}', 1, now() FROM budget.receipt_evidence
    """,
    """
    INSERT INTO budget.receipt_ocr_passes SELECT run_uuid, 1, source_sha256, 'rapidocr', '3', 1, 200, NULL, 'primary',
        1, 'ok', NULL, 10, 100, 0.9, true FROM budget.receipt_evidence
    """,
    r"""
    INSERT INTO budget.ocr_result_events SELECT 'ocr-result.v1\:' || run_uuid || '\:run', 'ocr.run-completed.v1',
        run_uuid, source_sha256, source_reference, source_sha256, 'applied', 1, NULL, '{}', '{}', now(), now()
    FROM budget.receipt_evidence
    """,
    """
    INSERT INTO budget.expenses (source_sha256, evidence_id, merchant, date, currency, total)
    SELECT source_sha256, id, merchant, transaction_date, currency, total
    FROM budget.receipt_evidence WHERE extraction_status = 'complete'
    """,
    """
    INSERT INTO ingest.receipt_processing_status (source_sha256, status, attempts, completed_at, updated_at)
    SELECT source_sha256, CASE extraction_status WHEN 'complete' THEN 'succeeded' ELSE 'review_required' END, 1,
        now(), now() - make_interval(secs => total::int * 100) FROM budget.receipt_evidence
    """,
    """
    INSERT INTO ingest.receipt_processing_status (source_sha256, status, attempts, terminal, last_error_code)
    SELECT source_sha256, 'failed', 3, true, 'PDF_CORRUPT' FROM ingest.receipts
    WHERE source_sha256 NOT IN (SELECT source_sha256 FROM budget.receipt_evidence)
    """,
    """
    INSERT INTO ingest.publications (source_sha256, purpose, publication, state, planned_at, confirmed_at, ended_at,
        end_reason)
    SELECT source_sha256, 'normal', gen_random_uuid(), 'ended', first_seen_at, first_seen_at, now(), 'completed'
    FROM ingest.receipts
    """,
]
