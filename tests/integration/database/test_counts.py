"""The numbers of status and pages are those of a full count, whatever was written, by whom, and when sums were made."""

import random
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import pytest
from alembic import command
from pydantic import SecretStr
from sqlalchemy import Connection, Engine, event, text
from sqlalchemy.exc import OperationalError

from db.migrate import _config
from ledger_tasks.files.canary import REFERENCE
from ledger_tasks.storage import schema
from ledger_tasks.storage.counts import differing, fold
from ledger_tasks.storage.database import at_one_moment, connect
from ledger_tasks.storage.overview import standing
from ledger_tasks.storage.page_overview import load_counts
from tests.support.servers import Database, fresh

HASHES = [sha256(bytes([n])).hexdigest() for n in range(12)]
PATHS = [f"{n}.pdf" for n in range(18)]
STATUSES = ("processing", "succeeded", "review_required", "failed")

RECEIPT = "INSERT INTO ingest.receipts (source_sha256, source_reference) VALUES (:sha, :path) ON CONFLICT DO NOTHING"
STATUS = """
INSERT INTO ingest.receipt_processing_status (source_sha256, status, last_error_code, completed_at)
VALUES (:sha, :status, 'TIMEOUT', CASE WHEN :status IN ('succeeded', 'review_required') THEN now() END)
ON CONFLICT (source_sha256) DO UPDATE SET status = excluded.status, completed_at = excluded.completed_at
"""
FILE = """
INSERT INTO ingest.source_index VALUES (:kind, :path, 1, 1, 1, 1, 1, :sha)
ON CONFLICT (kind, path) DO UPDATE SET sha256 = excluded.sha256
"""
LEASE = """
INSERT INTO ingest.publications (source_sha256, purpose, publication, state, planned_at)
VALUES (:sha, 'normal', gen_random_uuid(), 'planned', now())
ON CONFLICT (source_sha256, purpose) DO UPDATE SET state = 'planned', ended_at = NULL, end_reason = NULL
"""
LETTER = """
INSERT INTO budget.dead_letters (id, family, source_sha256, code, dead_at)
VALUES (gen_random_uuid(), 'receipts.v1', :sha, 'TIMEOUT', now())
"""
BOOKING = """
INSERT INTO budget.expenses (source_sha256, merchant, date, currency, total, exported_at)
VALUES (CASE WHEN :n % 3 > 0 THEN :sha END, 'M', now(), 'EUR', 1, CASE WHEN :n % 2 = 0 THEN now() END)
ON CONFLICT (source_sha256) DO UPDATE SET exported_at = excluded.exported_at
"""
WRITES = [
    *[(RECEIPT, statement) for statement in (STATUS, STATUS, FILE, FILE, LEASE)],
    (RECEIPT,),
    (LETTER,),
    (BOOKING,),
    ("DELETE FROM ingest.receipts WHERE source_sha256 = :sha",),
    ("DELETE FROM ingest.receipt_processing_status WHERE source_sha256 = :sha",),
    ("DELETE FROM ingest.source_index WHERE path = :path",),
    ("UPDATE ingest.source_index SET sha256 = :sha WHERE path > :path",),
    ("UPDATE ingest.publications SET state = 'ended', ended_at = now(), end_reason = 'failed'",),
    ("UPDATE budget.dead_letters SET state = 'purged', settled_at = now() WHERE source_sha256 = :sha",),
    ("UPDATE budget.expenses SET exported_at = now() WHERE id % 4 = :n % 4",),
    ("DELETE FROM budget.expenses WHERE id % 4 = :n % 4",),
]
TRUNCATED = ("ingest.receipts", "ingest.source_index", "ingest.receipt_processing_status", "budget.expenses")

FULL_STANDING = """
SELECT CASE
    WHEN lease.source_sha256 IS NOT NULL THEN 'in_flight'
    WHEN state.status = 'succeeded' THEN 'done'
    WHEN state.status = 'review_required' THEN 'review'
    WHEN state.status = 'failed' OR letter.source_sha256 IS NOT NULL THEN 'dead'
    ELSE 'known' END AS place,
    count(*) AS files
FROM ingest.source_index AS file JOIN ingest.receipts AS receipt ON receipt.source_sha256 = file.sha256
LEFT JOIN ingest.receipt_processing_status AS state USING (source_sha256)
LEFT JOIN (SELECT DISTINCT source_sha256 FROM ingest.publications WHERE state <> 'ended') AS lease USING (source_sha256)
LEFT JOIN (SELECT DISTINCT source_sha256 FROM budget.dead_letters WHERE state IN ('open', 'replaying')) AS letter
    USING (source_sha256)
WHERE file.kind = 'source' GROUP BY place
"""
FULL_COUNTS = """
SELECT (SELECT count(*) FROM ingest.receipts WHERE source_reference <> :canary),
    count(*) FILTER (WHERE status = 'succeeded'), count(*) FILTER (WHERE status = 'review_required'),
    count(*) FILTER (WHERE status = 'failed'), min(updated_at) FILTER (WHERE status = 'review_required'),
    (SELECT count(*) FROM budget.expenses), (SELECT count(*) FROM budget.expenses WHERE exported_at IS NULL)
FROM ingest.receipt_processing_status
"""


@pytest.fixture
def owner(database):
    made = connect(SecretStr(database.url))
    yield made
    made.dispose()


@pytest.fixture
def housekeeper(database):
    made = connect(SecretStr(database.url_of("ledger_publisher")))
    yield made
    made.dispose()


def write(connection: Connection, chance: random.Random) -> None:
    """Write something, sometimes in a savepoint that is taken back."""
    values = {"sha": chance.choice(HASHES), "path": chance.choice([*PATHS, REFERENCE]), "n": chance.randrange(12)}
    values |= {"status": chance.choice(STATUSES), "kind": chance.choice(["source", "source", "cache"])}
    savepoint = connection.begin_nested()
    for statement in chance.choice(WRITES):
        connection.execute(text(statement), values)
    if chance.random() < 0.2:
        savepoint.rollback()


def end(connection: Connection, chance: random.Random) -> None:
    connection.rollback() if chance.random() < 0.3 else connection.commit()


def check(engine: Engine) -> None:
    """Compare every number with a full count, all as they are at one moment."""
    with at_one_moment(engine).begin() as connection:
        assert differing(connection) == []
        found = standing(connection)
        full = {row.place: row.files for row in connection.execute(text(FULL_STANDING))}
        assert {place: files for place, files in vars(found).items() if files} == full
        counts = load_counts(connection, REFERENCE)
        assert connection.execute(text(FULL_COUNTS), {"canary": REFERENCE}).one() == (
            *(counts.known, counts.done, counts.review, counts.failed, counts.review_since),
            *(counts.booked, counts.unexported),
        )


@pytest.mark.parametrize("seed", range(2))
def test_after_any_sequence_of_writes_every_number_is_that_of_a_full_count(owner, housekeeper, seed):
    chance = random.Random(seed)
    for _ in range(40):
        with owner.connect() as connection:
            for _ in range(chance.randrange(1, 5)):
                write(connection, chance)
            check(owner)
            end(connection, chance)
        if chance.random() < 0.3:
            fold(housekeeper)
        check(owner)
        if chance.random() < 0.05:
            with owner.begin() as connection:
                connection.execute(text(f"TRUNCATE {chance.choice(TRUNCATED)} CASCADE"))
        elif chance.random() < 0.05:
            schema.rebuild_ingest(owner)
        check(owner)


def test_while_others_write_and_sums_are_made_every_moment_shows_a_full_count(owner, housekeeper):
    with ThreadPoolExecutor(4) as threads:
        writers = [threads.submit(keep_writing, owner, seed) for seed in range(3)]
        folding = threads.submit(keep_folding, housekeeper, writers)
        while not all(writer.done() for writer in writers):
            check(owner)
        written = [writer.result() for writer in writers]
        assert folding.result() > 2
    assert min(written) > 5, "transactions that came to their end"
    check(owner)
    fold(housekeeper)
    check(owner)
    with owner.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM ingest.changed_receipts")).scalar_one() == 0


def keep_writing(engine: Engine, seed: int) -> int:
    """Commit or roll back transactions; return how many were ended by us, and not because they waited in a circle."""
    chance, ended = random.Random(seed), 0
    for _ in range(50):
        with engine.connect() as connection:
            try:
                for _ in range(chance.randrange(1, 5)):
                    write(connection, chance)
                end(connection, chance)
                ended += 1
            except OperationalError as deadlock:
                assert "deadlock" in str(deadlock)
    return ended


def keep_folding(engine: Engine, writers) -> int:
    folded = 0
    while not all(writer.done() for writer in writers):
        fold(engine)
        folded += 1
    return folded


MANY = """
INSERT INTO ingest.receipts (source_sha256, source_reference)
SELECT encode(sha256(n::text::bytea), 'hex'), n || '.pdf' FROM generate_series(1, {many}) AS n;
INSERT INTO ingest.receipt_processing_status (source_sha256, status, completed_at)
SELECT source_sha256, 'succeeded', now() FROM ingest.receipts;
INSERT INTO ingest.source_index SELECT 'source', source_reference, 1, 1, 1, 1, 1, source_sha256 FROM ingest.receipts;
INSERT INTO budget.expenses (source_sha256, merchant, date, currency, total)
SELECT source_sha256, 'M', now(), 'EUR', 1 FROM ingest.receipts
"""


def put_many(connection: Connection, many: int) -> None:
    for statement in MANY.format(many=many).split(";"):
        connection.execute(text(statement))


def test_what_was_there_before_the_sums_is_counted(database, stack):
    made = Database(stack.postgresql, fresh("old"))
    stack.postgresql.run(f"CREATE DATABASE {made.name}")
    engine = connect(SecretStr(made.url))
    with engine.begin() as connection:
        connection.execute(text("CREATE SCHEMA budget"))
        command.upgrade(_config(connection), "0007")
        put_many(connection, 20)
    schema.upgrade(engine)
    check(engine)
    fold(engine)
    check(engine)
    with engine.connect() as connection:
        counts = load_counts(connection, REFERENCE)
    assert (counts.known, counts.done, counts.booked, counts.unexported) == (20, 20, 20, 20)
    engine.dispose()
    made.drop()


def test_a_look_at_the_numbers_reads_as_much_with_ten_times_the_receipts(owner, housekeeper):
    read = []
    for many in (1000, 10_000):
        with owner.begin() as connection:
            connection.execute(text("TRUNCATE ingest.receipts, ingest.source_index, budget.expenses CASCADE"))
            put_many(connection, many)
        fold(housekeeper)
        with owner.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("VACUUM ANALYZE"))
        read.append(pages_read(owner, standing) + pages_read(owner, lambda each: load_counts(each, REFERENCE)))
        check(owner)
    assert read[1] < 1.5 * read[0] < 300


def pages_read(engine: Engine, look) -> int:
    """Return how many pages of 8 KiB the statements of a look touch."""
    pages = 0

    def explain(connection, _cursor, statement, parameters, *_):
        nonlocal pages
        plan = connection.connection.driver_connection.execute(
            f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}", parameters
        ).fetchone()[0][0]["Plan"]
        pages += plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]

    with engine.connect() as connection:
        look(connection)
        event.listen(connection, "before_cursor_execute", explain)
        look(connection)
    return pages
