"""P9: 5000 results through journal and inbox in micro-batches, against one transaction each without a journal.

The reference decides nothing but the status: it locks, registers the result, updates job and file, and commits, on one
open connection. Then a single result at a time, where micro-batches cannot help, against our own handler alone.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg

from ledger_tasks.clock import new_id
from ledger_tasks.recognition.applier import BATCH
from ledger_tasks.recognition.inbox import settle
from ledger_tasks.recognition.journal import Entry, Journal, create_journal
from tests.bench.harness import Row, alternate, rate_row, seconds, time_row
from tests.support.recognition import Core, Owner, envelope, result_address
from tests.support.servers import Database, fresh, throwaway_stack

RESULTS = 5000
ALONE = 200
ROUNDS = 3

PUBLISHED = """
    WITH object AS (INSERT INTO recognition.s3_object (bucket, key, bucket_role)
           SELECT 'arm-ka', 'uploads/' || gen_random_uuid(), 'uploads' FROM generate_series(1, :n) RETURNING id),
         file AS (INSERT INTO recognition.stored_file (original_name, s3_object_id)
           SELECT 'osv.xlsx', id FROM object RETURNING id)
    INSERT INTO recognition.recognition_job
        (file_id, pipeline, status, published_at, reply_deadline, request_msg_id, request_subject)
    SELECT id, 'tabular', 'published', now(), now() + interval '900 s', 'm', 's' FROM file RETURNING id, file_id
"""
ROWS = """SELECT count(*), count(result_s3_object_id), count(result_msg_id), count(service_name), count(finished_at)
          FROM recognition.recognition_job WHERE status = 'done'"""


def run() -> list[Row]:
    with throwaway_stack("bench-p9") as stack, ExitStack() as end:
        stack.start("postgresql")
        database = Database(stack.postgresql, fresh("p9"))
        database.create()
        owner = Owner(database.url)
        folder = Path(end.enter_context(TemporaryDirectory()))
        core = Core(database.url_of("ledger_core"), "nats://127.0.0.1:1", folder)
        plain = end.enter_context(psycopg.connect(database.url_of("ledger_core")))
        journal = create_journal(folder, new_id())
        rows: list[object] = []

        def ours(count: int, size: int) -> float:
            entries = [Entry(n, f"result:{n}", body) for n, (_, _, body) in enumerate(prepared(core, owner, count))]
            found = seconds(lambda: in_batches(core, journal, entries, size))
            rows.append(owner.rows(ROWS))
            return found

        def reference(count: int) -> float:
            answers = prepared(core, owner, count)
            found = seconds(lambda: one_transaction_each(plain, answers))
            rows.append(owner.rows(ROWS))
            return found

        loaded = alternate(ROUNDS, lambda: ours(RESULTS, BATCH), lambda: reference(RESULTS))
        assert rows.count(rows[0]) == len(rows), "other rows"
        alone = alternate(ROUNDS, lambda: ours(ALONE, 1), lambda: without_journal(core, owner, ALONE))
    return [
        rate_row("P9", "5000 results, journaled, in micro-batches / one transaction each", RESULTS, *loaded, 3),
        time_row("P9", f"{ALONE} results one by one / the same handler without journal and batches", *alone, 1.5),
    ]


def prepared(core: Core, owner: Owner, count: int) -> list[tuple[str, str, bytes]]:
    """Return published jobs with their files and the results that a service sent of them."""
    owner.empty()
    jobs = [(str(row["id"]), str(row["file_id"])) for row in core.sql(PUBLISHED, n=count)]
    owner.sql("ANALYZE recognition.recognition_job; ANALYZE recognition.stored_file")
    return [(job, file, envelope(job, "done", result_s3=result_address(job, file))) for job, file in jobs]


def in_batches(core: Core, journal: Journal, entries: Sequence[Entry], size: int) -> None:
    for batch in batches(entries, size):
        journal.append(batch)
        waiting = journal.waiting(size)
        assert settle(core.exchange.engine, waiting) == set()
        journal.remove([entry.number for entry in waiting])


def without_journal(core: Core, owner: Owner, count: int) -> float:
    entries = [Entry(n, f"result:{n}", body) for n, (_, _, body) in enumerate(prepared(core, owner, count))]
    return seconds(lambda: [settle(core.exchange.engine, [entry]) for entry in entries])


def batches(entries: Sequence[Entry], size: int) -> list[Sequence[Entry]]:
    return [entries[start : start + size] for start in range(0, len(entries), size)]


def one_transaction_each(connection: psycopg.Connection, answers: Sequence[tuple[str, str, bytes]]) -> None:
    for job, file, _ in answers:
        with connection.transaction():
            connection.execute("SELECT status FROM recognition.recognition_job WHERE id = %s FOR UPDATE", [job])
            stored = connection.execute(
                "INSERT INTO recognition.s3_object (bucket, key, bucket_role, created_by) "
                "VALUES ('arm-ka', %s, 'results', 'tabular-parser') RETURNING id",
                [f"results/{file}/{job}/result.json"],
            ).fetchone()
            assert stored
            connection.execute(
                "UPDATE recognition.recognition_job SET status = 'done', finished_at = now(), service_name = 's', "
                "service_version = '1', result_s3_object_id = %s, result_msg_id = %s WHERE id = %s",
                [stored[0], f"result:{job}:1", job],
            )
            connection.execute("UPDATE recognition.stored_file SET status = 'PROCESSING' WHERE id = %s", [file])
