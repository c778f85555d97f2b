"""P8: a tick over 1000 queued jobs beside a million finished ones, against bare publishing and one UPDATE.

The reference is given the bytes and knows that all is well: it connects as a tick must, publishes, flushes once (which
proves nothing) and updates its rows in one statement on an open connection.
"""

import asyncio
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import nats
import psycopg

from tests.bench.harness import Row, alternate, rate_row, seconds
from tests.support.bus import Bus
from tests.support.recognition import Core, Owner
from tests.support.servers import Database, fresh, throwaway_stack

JOBS = 1000
FINISHED = 1_000_000
ROUNDS = 7

QUEUE = f"""
    WITH object AS (INSERT INTO recognition.s3_object (bucket, key, bucket_role, size_bytes, sha256)
           SELECT 'arm-ka', 'uploads/' || gen_random_uuid(), 'uploads', 12, repeat('a', 64)
           FROM generate_series(1, {JOBS}) RETURNING id),
         file AS (INSERT INTO recognition.stored_file (original_name, s3_object_id)
           SELECT 'osv.xlsx', id FROM object RETURNING id)
    INSERT INTO recognition.recognition_job (file_id, pipeline) SELECT id, 'tabular' FROM file RETURNING id
"""
UPDATE = """
    UPDATE recognition.recognition_job AS job
    SET status = 'published', published_at = now(), request_msg_id = taken.message_id, request_subject = %(subject)s,
        reply_deadline = now() + interval '900 s'
    FROM unnest(%(ids)s::uuid[], %(message_ids)s::text[]) AS taken (id, message_id)
    WHERE job.id = taken.id AND job.status = 'queued'
"""


def run() -> list[Row]:
    with throwaway_stack("bench-p8") as stack, ExitStack() as end:
        stack.start("postgresql", "nats")
        database = Database(stack.postgresql, fresh("p8"))
        database.create()
        owner = Owner(database.url)
        owner.add_finished(FINISHED)
        folder = Path(end.enter_context(TemporaryDirectory()))
        core = Core(database.url_of("ledger_core"), stack.nats.url, folder)
        plain = end.enter_context(psycopg.connect(database.url_of("ledger_core")))
        body = one_request(core, stack.nats.url)
        ours, bare = alternate(ROUNDS, lambda: by_tick(core, owner), lambda: by_hand(core, plain, body))
    return [rate_row("P8", "a tick of 1000 jobs / bare publish and one UPDATE", JOBS, ours[1:], bare[1:], 0.8)]


def one_request(core: Core, url: str) -> bytes:
    """Return the bytes of a real request."""
    bus = Bus(url)
    heard = bus.listen(core.settings.subjects["tabular_request"])
    core.published()
    body = heard.get(timeout=10).body
    bus.close()
    return body


def by_tick(core: Core, owner: Owner) -> float:
    core.sql(QUEUE)
    owner.sql("ANALYZE recognition.recognition_job")
    taken: list[int] = []
    found = seconds(lambda: taken.append(core.publish()))
    assert taken == [JOBS]
    return found


def by_hand(core: Core, connection: psycopg.Connection, body: bytes) -> float:
    ids = [str(row["id"]) for row in core.sql(QUEUE)]
    subject = core.settings.subjects["tabular_request"]

    async def publish() -> None:
        client = await nats.connect(core.settings.nats_url.get_secret_value())
        for each in ids:
            await client.publish(subject, body, headers={"Nats-Msg-Id": f"{each}:1"})
        await client.flush()
        await client.close()

    def work() -> None:
        asyncio.run(publish())
        values = {"ids": ids, "message_ids": [f"{each}:1" for each in ids], "subject": subject}
        changed = connection.execute(UPDATE, values).rowcount
        connection.commit()
        assert changed == JOBS

    return seconds(work)
