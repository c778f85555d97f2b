"""The first page: where everything stands, from the folder to the ledger, and what the broker holds."""

from typing import Final

from fastapi import Request, Response

from ledger_tasks.files.canary import REFERENCE
from ledger_tasks.storage.canary import unseen_seconds
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.page_overview import load_counts, load_hours
from ledger_tasks.storage.scans import last_scan
from ledger_tasks.web.metrics import queue_counts
from ledger_tasks.web.pages import plots
from ledger_tasks.web.pages.access import Looks
from ledger_tasks.web.pages.needs import Database, Settings
from ledger_tasks.web.pages.render import page
from ledger_tasks.web.pages.route import page_router

router = page_router()

CANARY_LIMIT: Final = 1800
"""Seconds without the canary after which something is wrong: as long as LedgerCanaryLost waits."""


@router.get("/")
def overview(request: Request, visitor: Looks, engine: Database) -> Response:
    """Show the flow with its counts and ages."""
    return page(request, "overview.html", visitor, _numbers(engine))


@router.get("/overview/numbers")
def numbers(request: Request, visitor: Looks, engine: Database) -> Response:
    """Show the flow alone: the page asks for it again and again."""
    return page(request, "overview_numbers.html", visitor, _numbers(engine))


@router.get("/overview/queues")
def queues(request: Request, visitor: Looks, settings: Settings) -> Response:
    """Show the broker's queues; apart from the page, which a broker that is away must not hold up."""
    found = queue_counts(settings.rabbitmq_url.get_secret_value()) if settings.rabbitmq_url else None
    return page(
        request, "overview_queues.html", visitor, {"queues": found, "configured": settings.rabbitmq_url is not None}
    )


def _numbers(engine: Database) -> dict[str, object]:
    with transaction(engine) as connection:
        plot = plots.throughput(load_hours(connection))
        return {
            "counts": load_counts(connection, REFERENCE),
            "plot": plot,
            "scan": last_scan(connection),
            "canary": unseen_seconds(connection, REFERENCE),
            "canary_limit": CANARY_LIMIT,
        }
