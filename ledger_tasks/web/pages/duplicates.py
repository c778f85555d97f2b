"""Receipts that look like another one, side by side; copies set aside; receipts whose bytes lie at several paths."""

from typing import Annotated

from fastapi import Form, Request, Response, status
from fastapi.responses import RedirectResponse

from ledger_tasks.clock import now
from ledger_tasks.collector.correct import correct
from ledger_tasks.storage.corrections import BOOKING, COPY, Correction
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.page_lists import PAGE, load_copies, load_duplicates, load_set_aside
from ledger_tasks.web.pages.access import Looks, Operates
from ledger_tasks.web.pages.needs import Database, PageNumber, Settings, Sha256
from ledger_tasks.web.pages.render import page as render
from ledger_tasks.web.pages.route import page_router

router = page_router()


@router.get("/duplicates")
def duplicates(
    request: Request, visitor: Looks, engine: Database, settings: Settings, page: PageNumber = 1
) -> Response:
    """Show suspected receipts beside the older one."""
    with transaction(engine) as connection:
        pairs, copies = load_duplicates(connection, page), load_copies(connection)
        aside = load_set_aside(connection)
    visible = settings.receipt_source_root is not None
    values = {"pairs": pairs, "copies": copies, "aside": aside, "page": page, "per_page": PAGE, "visible": visible}
    return render(request, "duplicates.html", visitor, values)


@router.post("/duplicates/{sha256}")
def set_aside(
    visitor: Operates, engine: Database, sha256: Sha256, of: Annotated[str, Form(max_length=64)] = ""
) -> Response:
    """Set a receipt aside as a copy of another one, or take that back; file and reading stay as they are."""
    choice = Correction(BOOKING, f"{COPY}{of}" if of else None)
    correct(engine, sha256, [choice], now(), visitor.name)
    return RedirectResponse("/duplicates", status.HTTP_303_SEE_OTHER)
