"""The ways to a receipt: the searchable list, the next one in review, and the beginning of a hash."""

from typing import Annotated

from fastapi import Path as InPath
from fastapi import Query, Request, Response, status
from fastapi.responses import RedirectResponse

from ledger_tasks.errors import NotFoundError
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.page_receipts import (
    PAGE,
    STATES,
    Search,
    State,
    find_by_prefix,
    find_receipts,
    first_in_review,
)
from ledger_tasks.web.pages.access import Looks
from ledger_tasks.web.pages.needs import Database, PageNumber
from ledger_tasks.web.pages.render import page as render
from ledger_tasks.web.pages.route import page_router

router = page_router()


@router.get("/receipts")
def receipts(
    request: Request,
    visitor: Looks,
    engine: Database,
    q: Annotated[str, Query(max_length=200)] = "",
    state: State | None = None,
    page: PageNumber = 1,
) -> Response:
    """Show the receipts that match, what changed last first."""
    search = Search(q, state, page)
    with transaction(engine) as connection:
        found = find_receipts(connection, search)
    return render(
        request, "receipts.html", visitor, {"search": search, "found": found, "states": STATES, "per_page": PAGE}
    )


@router.get("/review")
def review(visitor: Looks, engine: Database) -> Response:  # noqa: ARG001 (only who is logged in)
    """Lead to the receipt that has been waiting for a person longest."""
    with transaction(engine) as connection:
        first = first_in_review(connection)
    return RedirectResponse(f"/receipts/{first}" if first else "/receipts?state=review", status.HTTP_303_SEE_OTHER)


@router.get("/r/{prefix}")
def short(
    visitor: Looks,  # noqa: ARG001 (only who is logged in)
    engine: Database,
    prefix: Annotated[str, InPath(pattern="^[0-9a-f]{8,64}$")],
) -> Response:
    """Lead from the beginning of a hash, as logs and commands show it, to its receipt."""
    with transaction(engine) as connection:
        sha256 = find_by_prefix(connection, prefix)
    if sha256 is None:
        raise NotFoundError("no receipt, or more than one, has a hash that begins so")
    return RedirectResponse(f"/receipts/{sha256}", status.HTTP_303_SEE_OTHER)
