"""The pages that people use: one router of HTML for the application of `ledger serve`."""

from fastapi import APIRouter

from ledger_tasks.web.pages import batches, dead, duplicates, login, overview, receipt, receipts, recognition
from ledger_tasks.web.pages.assets import asset
from ledger_tasks.web.pages.route import page_router


def pages() -> APIRouter:
    """Return every page."""
    router = page_router()
    router.add_api_route("/static/{name}", asset)
    for each in (login, overview, receipts, receipt, dead, recognition, batches, duplicates):
        router.include_router(each.router)
    return router
