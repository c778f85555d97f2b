"""The core of the exchange in this process: a database and a NATS address in; ticks, an inbox and rows out."""

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from sqlalchemy import create_engine, text

from ledger_tasks.recognition import ticks
from ledger_tasks.recognition.listener import Inbox
from ledger_tasks.settings import ServeSettings

WAIT_SECONDS = 15
BUCKET = "arm-ka"
SERVICE = {"name": "tabular-parser", "version": "1.4.2"}


def subjects(prefix: str) -> dict[str, str]:
    """Return the environment of subjects of one test, so that tests can share a server."""
    names = {"TABULAR_REQUEST": "tabular_uploaded", "IMAGE_REQUEST": "img_uploaded", "RESULT": "tabular_parsed"}
    return {f"OPENBAO__NATS__NATS_{key}_SUBJECT": f"{prefix}.files.{name}" for key, name in names.items()}


def wait_until(true: Callable[[], Any], seconds: float = WAIT_SECONDS) -> Any:
    """Return what `true` returns as soon as it is true."""
    deadline = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(0.02)
    return found


class Core:
    """Rows are made by plain SQL, as another program would; answers are those of a service."""

    def __init__(self, database_url: str, nats_url: str, folder: Path, **changes: Any) -> None:
        self.prefix = f"t{uuid4().hex[:8]}"
        nats = {name.removeprefix("OPENBAO__NATS__").lower(): value for name, value in subjects(self.prefix).items()}
        values: dict[str, Any] = {
            "database_url": database_url,
            "nats_enabled": True,
            "nats_url": nats_url,
            "openbao": {"nats": nats},
            "object_store_url": f"file://{folder}/objects",
            "recognition_spool_dir": folder / "spool",
        }
        self.settings = ServeSettings(**{**values, **changes})
        self.exchange = ticks.open_exchange(self.settings)

    @property
    def environment(self) -> dict[str, str]:
        """What `ledger serve` needs to be another instance of this core."""
        return {
            "DATABASE_URL": self.settings.database_url.get_secret_value(),
            "NATS_ENABLED": "true",
            "NATS_URL": self.settings.nats_url.get_secret_value(),
            "OBJECT_STORE_URL": self.settings.object_store_url,
            "RECOGNITION_SPOOL_DIR": str(self.settings.recognition_spool_dir),
            **subjects(self.prefix),
        }

    def with_settings(self, **changes: Any) -> "Core":
        """Return the same core, configured otherwise."""
        other = object.__new__(Core)
        other.prefix = self.prefix
        other.settings = self.settings.model_copy(update=changes)
        other.exchange = ticks.Exchange(other.settings, self.exchange.engine, self.exchange.store)
        return other

    def sql(self, statement: str, **values: Any) -> list[dict[str, Any]]:
        with self.exchange.engine.begin() as connection:
            found = connection.execute(text(statement), values)
            return [dict(row) for row in found.mappings()] if found.returns_rows else []

    def add_job(self, pipeline: str = "tabular", name: str = "osv.xlsx", **columns: Any) -> str:
        """Insert object, file and job by plain SQL; return the job's id."""
        key = f"uploads/{uuid4()}/{name[:40]}"
        file_id = self.sql(
            """WITH object AS (INSERT INTO recognition.s3_object (bucket, key, bucket_role, size_bytes, sha256)
                 VALUES (:bucket, :key, 'uploads', 12, repeat('a', 64)) RETURNING id)
               INSERT INTO recognition.stored_file (original_name, s3_object_id) SELECT :name, id FROM object
               RETURNING id""",
            bucket=BUCKET,
            key=key,
            name=name,
        )[0]["id"]
        names = ["file_id", "pipeline", *columns]
        places = ", ".join(f":{name}" for name in names)
        return str(
            self.sql(
                f"INSERT INTO recognition.recognition_job ({', '.join(names)}) VALUES ({places}) RETURNING id",
                file_id=file_id,
                pipeline=pipeline,
                **columns,
            )[0]["id"]
        )

    def job(self, job_id: str) -> dict[str, Any]:
        return self.sql("SELECT * FROM recognition.recognition_job WHERE id = :id", id=job_id)[0]

    def file(self, job_id: str) -> dict[str, Any]:
        """The file of a job."""
        statement = """SELECT file.* FROM recognition.stored_file file
            JOIN recognition.recognition_job job ON job.file_id = file.id WHERE job.id = :id"""
        return self.sql(statement, id=job_id)[0]

    def wait_for(self, job_id: str, status: str, seconds: float = WAIT_SECONDS) -> dict[str, Any]:
        wait_until(lambda: self.job(job_id)["status"] == status, seconds)
        return self.job(job_id)

    def publish(self) -> int:
        return ticks.publish_outbox(self.exchange)

    def watch(self) -> int:
        return ticks.watch_deadlines(self.exchange)

    def map(self) -> int:
        return ticks.map_documents(self.exchange)

    def age(self, job_id: str, column: str, seconds: float) -> None:
        """Move a moment of a job into the past: time passes."""
        self.sql(
            f"UPDATE recognition.recognition_job SET {column} = {column} - make_interval(secs => :s) WHERE id = :id",
            s=seconds,
            id=job_id,
        )

    def published(self, **columns: Any) -> str:
        """Return a job that the outbox has published."""
        job_id = self.add_job(**columns)
        self.publish()
        assert self.job(job_id)["status"] == "published"
        return job_id

    @contextmanager
    def inbox(self) -> Iterator[Inbox]:
        """Run an inbox; it listens when this enters, and has applied what it received when this leaves."""
        loop = asyncio.new_event_loop()
        threading.Thread(target=loop.run_forever, daemon=True).start()
        assert self.settings.recognition_spool_dir
        inbox = Inbox(self.settings, self.exchange.engine, self.settings.recognition_spool_dir, str(uuid4()))
        running = asyncio.run_coroutine_threadsafe(inbox.run(), loop)
        try:
            wait_until(lambda: inbox.hears or running.done())
            yield inbox
        finally:
            loop.call_soon_threadsafe(inbox.stop)
            running.result(30)
            loop.call_soon_threadsafe(loop.stop)


class Owner:
    """What only the owner of the tables may do."""

    def __init__(self, url):
        self._engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:", 1))

    def sql(self, statement):
        with self._engine.begin() as connection:
            connection.exec_driver_sql(statement)

    def rows(self, query: str) -> list[Any]:
        with self._engine.connect() as connection:
            return list(connection.exec_driver_sql(query))

    def empty(self):
        self.sql(
            "TRUNCATE recognition.s3_object, recognition.stored_file, recognition.recognition_job, "
            "recognition.document, recognition.document_row, recognition.audit_event, recognition.inbox_state, "
            "recognition.tick_state, recognition.trouble"
        )

    def add_finished(self, count: int, files: int = 1000) -> None:
        """Insert finished jobs as fast as it goes: triggers and checks of references are switched off meanwhile."""
        old = "00000000-0000-0000-0000-000000000001"
        self.sql(
            f"""
            SET session_replication_role = replica;
            INSERT INTO recognition.s3_object (id, bucket, key, bucket_role)
                VALUES ('{old}', 'arm-ka', 'uploads/old', 'uploads');
            INSERT INTO recognition.stored_file (id, original_name, s3_object_id, status)
                SELECT lpad(n::text, 32, '0')::uuid, 'old', '{old}', 'PROCESSED' FROM generate_series(1, {files}) n;
            INSERT INTO recognition.recognition_job (id, file_id, pipeline, status, attempt, max_attempts, finished_at)
                SELECT lpad(n::text, 32, '0')::uuid, lpad((1 + n / {files})::text, 32, '0')::uuid, 'tabular', 'done',
                       1 + mod(n, {files}), {files}, now() FROM generate_series(1, {count} - 1) n;
            SET session_replication_role = DEFAULT;
            ANALYZE recognition.stored_file; ANALYZE recognition.recognition_job;
            """
        )

    @contextmanager
    def breaking_changes_of(self, job_id):
        """Let every change of one job fail as if its values could not be stored."""
        self.sql("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE data_exception; END $$")
        self.sql(
            "CREATE TRIGGER refuse BEFORE UPDATE ON recognition.recognition_job FOR EACH ROW "
            f"WHEN (OLD.id = '{job_id}') EXECUTE FUNCTION refuse()"
        )
        try:
            yield
        finally:
            self.sql("DROP FUNCTION refuse CASCADE")


def envelope(job_id: str, status: str, version: str = "1.0", **rest: Any) -> bytes:
    """Return an answer of a service."""
    service = SERVICE if version.startswith("1") else SERVICE | {"statements_version": "2026.1"}
    body = {"schema_version": version, "job_id": job_id, "status": status, "service": service}
    return json.dumps(body | {"occurred_at": "2026-03-31T10:00:05Z"} | rest).encode()


def result_address(job_id: str, file_id: str) -> dict[str, str]:
    """Return where a service puts its result."""
    return {"bucket": BUCKET, "key": f"results/{file_id}/{job_id}/result.json"}
