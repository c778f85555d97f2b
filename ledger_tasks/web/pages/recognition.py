"""Recognition files and their jobs: the list, one file with its time line, and new attempts for one or many."""

from typing import Annotated, Literal, get_args
from uuid import UUID

from fastapi import Form, Request, Response, status
from fastapi.responses import RedirectResponse

from ledger_tasks.errors import NotFoundError
from ledger_tasks.explanations import explain
from ledger_tasks.recognition.retry import retry_files
from ledger_tasks.recognition.trouble import FORGOTTEN_AFTER
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.page_lists import PAGE, load_file_audit, load_file_counts, load_file_page
from ledger_tasks.storage.recognition_files import load_attempts, load_documents, load_file
from ledger_tasks.storage.recognition_troubles import load_troubles
from ledger_tasks.web.pages.access import Looks, Operates
from ledger_tasks.web.pages.needs import Database, PageNumber
from ledger_tasks.web.pages.render import page as render
from ledger_tasks.web.pages.route import page_router

router = page_router()
FileStatus = Literal["UPLOADED", "PROCESSING", "PROCESSED", "NEEDS_CHECK", "ERROR"]


@router.get("/recognition")
def files(
    request: Request,
    visitor: Looks,
    engine: Database,
    state: FileStatus | None = None,
    page: PageNumber = 1,
    said: str = "",
) -> Response:
    """Show files with their current job, the newest first."""
    with transaction(engine) as connection:
        counts = {row.status: row.files for row in load_file_counts(connection)}
        found = load_file_page(connection, state, page)
        troubles = [(each, explain(each.code)) for each in load_troubles(connection, FORGOTTEN_AFTER)]
    total = counts.get(state, 0) if state else sum(counts.values())
    values = {"counts": counts, "found": found, "state": state, "states": get_args(FileStatus), "said": said[:200]}
    place = {"page": page, "per_page": PAGE, "total": total, "troubles": troubles}
    return render(request, "recognition.html", visitor, values | place)


@router.get("/recognition/{file_id}")
def file(request: Request, visitor: Looks, engine: Database, file_id: UUID) -> Response:
    """Show one file: every attempt, what people did, and the documents that came out."""
    with transaction(engine) as connection:
        found = load_file(connection, str(file_id))
        if found is None:
            raise NotFoundError("there is no such file", next_command="ledger recognition jobs")
        jobs = load_attempts(connection, str(file_id))
        documents = load_documents(connection, str(file_id))
        audit = load_file_audit(connection, str(file_id))
    values = {"file": found, "jobs": jobs, "documents": documents, "audit": audit}
    return render(request, "recognition_file.html", visitor, values)


@router.post("/recognition/retry")
def retry(
    visitor: Operates, engine: Database, file_id: Annotated[list[UUID] | None, Form(max_length=PAGE)] = None
) -> Response:
    """Make a new attempt for each chosen file that may have one."""
    retried, skipped = retry_files(engine, [str(each) for each in file_id or ()], visitor.name)
    said = f"{len(retried)} queued again, {len(skipped)} not: they are not failed, or have no attempt left"
    return RedirectResponse(f"/recognition?said={said}", status.HTTP_303_SEE_OTHER)
