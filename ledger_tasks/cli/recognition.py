"""`ledger recognition ...`: submit files, look at jobs, try failed files again."""

import mimetypes
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from uuid import UUID

import typer
from sqlalchemy import Engine

from ledger_tasks.cli.actor import actor
from ledger_tasks.cli.output import Json, Timeout, Wait, emit, say, table
from ledger_tasks.clock import new_id
from ledger_tasks.errors import (
    ConflictError,
    DependencyDownError,
    FailedForGoodError,
    Infrastructure,
    NeedsReviewError,
    NotFoundError,
    UsageError,
    WaitTimeoutError,
)
from ledger_tasks.explanations import explain
from ledger_tasks.recognition.retry import retry_files
from ledger_tasks.recognition.submission import Submission, submit
from ledger_tasks.recognition.ticks import Exchange, open_exchange
from ledger_tasks.settings import ExchangeSettings, load
from ledger_tasks.storage import recognition_files as stored
from ledger_tasks.storage.database import transaction

LOOK_SECONDS: Final = 0.2
_OUTCOMES: Final = {"PROCESSED", "NEEDS_CHECK", "ERROR"}
_JOB_COLUMNS: Final = ("id", "file_id", "pipeline", "status", "attempt", "requested_at", "service_name", "error_code")

Limit = Annotated[int, typer.Option(min=1, max=1000, help="How many at most.")]


def submit_file(
    file: Annotated[Path, typer.Argument(help="The file to recognize.")],
    pipeline: Annotated[Literal["tabular", "image"], typer.Option(help="Which service reads it.")],
    consolidation_id: Annotated[UUID | None, typer.Option(help="What the file belongs to.")] = None,
    wait: Wait = False,
    timeout: Timeout = 1200,
    json: Json = False,
) -> None:
    """Store a file and queue its recognition.

    With --wait the outcome decides: 0 done, 6 needs_check, 5 error, timeout or dlq.

    Example: `ledger recognition submit osv.xlsx --pipeline tabular --wait`
    """
    with opened_exchange() as exchange:
        try:
            with file.open("rb") as content:
                given = Submission(
                    file.name,
                    content,
                    mimetypes.guess_type(file.name)[0],
                    pipeline,
                    str(consolidation_id) if consolidation_id else None,
                )
                made = submit(exchange, new_id(), given)
        except OSError as error:
            raise UsageError(f"{file} cannot be read: {error.strerror}") from None
        document: dict[str, Any] = made._asdict()
        if wait:
            document = _outcome(exchange.engine, made.file_id, time.monotonic() + timeout)
    _show(document, json)
    _exit_by(document)


def jobs(
    status: Annotated[str | None, typer.Option(help="Only jobs of this status.")] = None,
    limit: Limit = 50,
    json: Json = False,
) -> None:
    """List the newest jobs.

    Example: `ledger recognition jobs --status dlq`
    """
    with opened_exchange() as exchange, transaction(exchange.engine) as connection:
        found = stored.load_jobs(connection, limit, status)
    if json:
        emit({"jobs": found})
    else:
        table(_JOB_COLUMNS, [[job[name] for name in _JOB_COLUMNS] for job in found])


def show(
    file_or_job_id: Annotated[UUID, typer.Argument(help="A file's or a job's id.")],
    json: Json = False,
) -> None:
    """Show a file with its attempts and documents.

    Example: `ledger recognition show 5b0b6b43-7a2f-4f1c-9d0c-0d6f6c1f2a11`
    """
    with opened_exchange() as exchange, transaction(exchange.engine) as connection:
        job = stored.load_job(connection, str(file_or_job_id))
        file_id = job["file_id"] if job else str(file_or_job_id)
        file = stored.load_file(connection, file_id)
        if file is None:
            raise NotFoundError(f"no file or job {file_or_job_id}", next_command="ledger recognition jobs")
        attempts = stored.load_attempts(connection, file_id)
        documents = stored.load_documents(connection, file_id)
    if json:
        emit({"file": file, "jobs": attempts, "documents": documents})
        return
    table(("file", ""), [item for item in file.items() if item[1] is not None])
    table(_JOB_COLUMNS, [[attempt[name] for name in _JOB_COLUMNS] for attempt in attempts], "attempts")
    for each in documents:
        columns = [name for name in each["rows"][0] if name != "document_id"] if each["rows"] else []
        rows = [[row[name] for name in columns] for row in each["rows"]]
        table(columns, rows, f"{each['kind']} {each['title'] or ''}")


def retry(
    file_ids: Annotated[list[UUID], typer.Argument(help="The files to try again.")],
    json: Json = False,
) -> None:
    """Make a new attempt for failed files (exit 10 when one is refused).

    Example: `ledger recognition retry 5b0b6b43-7a2f-4f1c-9d0c-0d6f6c1f2a11`
    """
    with opened_exchange() as exchange:
        retried, skipped = retry_files(exchange.engine, [str(each) for each in file_ids], actor())
    document = {
        "retried": [each._asdict() for each in retried],
        "skipped": [{"file_id": file_id, "code": code} for file_id, code in skipped],
    }
    if json:
        emit(document)
    else:
        table(("file_id", "job_id", "attempt"), retried)
    if skipped:
        reasons = ", ".join(f"{file_id}: {code}" for file_id, code in skipped)
        raise ConflictError(f"refused: {reasons}", next_command=f"ledger recognition show {skipped[0][0]}")


@contextmanager
def opened_exchange() -> Iterator[Exchange]:
    """Open what commands need; a server that is away is exit 7 with its remedy."""
    try:
        yield open_exchange(load(ExchangeSettings))
    except Infrastructure as trouble:
        raise DependencyDownError(
            str(trouble), remedy=explain(trouble.code).remedy, next_command="ledger doctor"
        ) from trouble


def _outcome(engine: Engine, file_id: str, deadline: float) -> dict[str, Any]:
    """Return what became of a file once it is final; a database that is away meanwhile is waited for."""
    while time.monotonic() < deadline:
        try:
            with transaction(engine) as connection:
                file = stored.load_file(connection, file_id)
                assert file is not None, "files are never deleted"
                job = stored.load_job(connection, file["current_recognition_job_id"])
        except Infrastructure as trouble:
            say(f"waiting: {trouble}")
        else:
            if file["status"] in _OUTCOMES:
                assert job is not None, "jobs are never deleted"
                shown = ("error_code", "error_message", "mapping_error")
                found = {name: file[name] for name in shown if file[name] is not None}
                return {"file_id": file_id, "job_id": job["id"], "status": job["status"], **found}
        time.sleep(LOOK_SECONDS)
    raise WaitTimeoutError(f"file {file_id} has no outcome yet", next_command=f"ledger recognition show {file_id}")


def _exit_by(document: dict[str, Any]) -> None:
    why = document.get("mapping_error") or document.get("error_code")
    next_command = f"ledger recognition show {document['file_id']}"
    if why:
        raise FailedForGoodError(f"{document['status']}: {why}", next_command=next_command)
    if document["status"] == "needs_check":
        raise NeedsReviewError("the service asks a person to check the result", next_command=next_command)


def _show(document: dict[str, Any], json: bool) -> None:
    if json:
        emit(document)
    else:
        for name, value in document.items():
            typer.echo(f"{name}: {value}")
