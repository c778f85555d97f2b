"""Receipts that look like another one, side by side; and receipts whose very bytes lie at several paths."""

from fastapi import Request, Response

from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.page_lists import PAGE, load_copies, load_duplicates
from ledger_tasks.web.pages.access import Looks
from ledger_tasks.web.pages.needs import Database, PageNumber, Settings
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
    visible = settings.receipt_source_root is not None
    values = {"pairs": pairs, "copies": copies, "page": page, "per_page": PAGE, "visible": visible}
    return render(request, "duplicates.html", visitor, values)
