"""The API of the recognition exchange: submit a file, look at files and jobs, try failed ones again."""

from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Form, HTTPException, Query, Request, UploadFile, status
from fastapi.responses import JSONResponse
from pydantic import BaseModel

from contracts.recognition.words import Pipeline
from ledger_tasks.clock import new_id
from ledger_tasks.errors import NotFoundError
from ledger_tasks.recognition.retry import NotRetryable, retry_file, retry_files
from ledger_tasks.recognition.submission import Submission, submit
from ledger_tasks.recognition.ticks import Exchange
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.recognition_files import load_attempts, load_documents, load_file, load_files, load_job
from ledger_tasks.web.security import Operator, Reader

router = APIRouter(prefix="/api", tags=["recognition"])


def _exchange(request: Request) -> Exchange:
    found: Exchange = request.app.state.exchange
    return found


Needs = Annotated[Exchange, Depends(_exchange)]
FileStatus = Literal["UPLOADED", "PROCESSING", "PROCESSED", "NEEDS_CHECK", "ERROR"]


class Batch(BaseModel):
    """The files to try again."""

    file_ids: list[UUID]


@router.post("/files", status_code=status.HTTP_201_CREATED)
def post_file(
    _caller: Operator,
    needs: Needs,
    file: UploadFile,
    pipeline: Annotated[Pipeline, Form()],
    consolidation_id: Annotated[UUID | None, Form()] = None,
) -> dict[str, str]:
    """Store a file of any type and queue its recognition; 422 for an empty one."""
    submission = Submission(
        file.filename or "file",
        file.file,
        file.content_type,
        pipeline,
        str(consolidation_id) if consolidation_id else None,
    )
    return submit(needs, new_id(), submission)._asdict()


@router.get("/files")
def get_files(
    _caller: Reader,
    needs: Needs,
    file_status: Annotated[FileStatus | None, Query(alias="status")] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> list[dict[str, Any]]:
    """Return the newest files; keys as the columns."""
    with transaction(needs.engine) as connection:
        return load_files(connection, limit, file_status)


@router.get("/files/{file_id}")
def get_file(_caller: Reader, needs: Needs, file_id: UUID) -> dict[str, Any]:
    """Return one file, keys as the columns, with its jobs and its documents."""
    with transaction(needs.engine) as connection:
        found = load_file(connection, str(file_id))
        if found is None:
            raise HTTPException(status.HTTP_404_NOT_FOUND, {"code": "FILE_NOT_FOUND"})
        jobs = load_attempts(connection, str(file_id))
        return {**found, "jobs": jobs, "documents": load_documents(connection, str(file_id))}


@router.get("/jobs/{job_id}")
def get_job(_caller: Reader, needs: Needs, job_id: UUID) -> dict[str, Any]:
    """Return one job, keys as the columns."""
    with transaction(needs.engine) as connection:
        found = load_job(connection, str(job_id))
    if found is None:
        raise HTTPException(status.HTTP_404_NOT_FOUND, {"code": "JOB_NOT_FOUND"})
    return found


@router.post("/files/retry")
def post_retries(caller: Operator, needs: Needs, batch: Batch) -> dict[str, list[dict[str, Any]]]:
    """Try several failed files again; those that cannot be are skipped with their code."""
    retried, skipped = retry_files(needs.engine, [str(each) for each in batch.file_ids], caller)
    return {
        "retried": [each._asdict() for each in retried],
        "skipped": [{"file_id": file_id, "code": code} for file_id, code in skipped],
    }


@router.post("/files/{file_id}/retry", status_code=status.HTTP_201_CREATED, response_model=None)
def post_retry(caller: Operator, needs: Needs, file_id: UUID) -> dict[str, Any] | JSONResponse:
    """Try a failed file again: a new attempt, or 409 with the reason."""
    try:
        outcome = retry_file(needs.engine, str(file_id), caller)
    except NotFoundError:
        raise HTTPException(status.HTTP_404_NOT_FOUND, {"code": "FILE_NOT_FOUND"}) from None
    if isinstance(outcome, NotRetryable):
        raise HTTPException(status.HTTP_409_CONFLICT, {"code": "FILE_NOT_RETRYABLE", "reason": outcome.reason})
    return {**outcome._asdict(), "status": "queued"}
