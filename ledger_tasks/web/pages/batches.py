"""Batches: how far each is, as the shared volume (cache rebuilds) and the database (reprocessing) tell it."""

from datetime import datetime
from typing import Final, NamedTuple

from fastapi import Request, Response
from sqlalchemy import Connection

from ledger_tasks.files.batches import KnownBatch, newest_batches
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.page_lists import count_reprocessed
from ledger_tasks.web.pages.access import Looks
from ledger_tasks.web.pages.needs import Database, Settings
from ledger_tasks.web.pages.render import page
from ledger_tasks.web.pages.route import page_router

SHOWN: Final = 20
"""Batches of one page, the newest; each has a manifest to be read."""

router = page_router()


class Progress(NamedTuple):
    """How far one batch is."""

    batch_id: str
    mode: str
    finished: int
    total: int
    changed_at: datetime


@router.get("/batches")
def batches(request: Request, visitor: Looks, engine: Database, settings: Settings) -> Response:
    """Show the progress of the batches that changed last."""
    cache = settings.home_budget_ocr_cache
    known = newest_batches(cache, SHOWN) if cache else []
    with transaction(engine) as connection:
        found = [_progress(connection, batch) for batch in known]
    return page(request, "batches.html", visitor, {"batches": found, "visible": cache is not None})


def _progress(connection: Connection, batch: KnownBatch) -> Progress:
    manifest = batch.manifest
    finished = batch.finished
    if manifest.mode == "reprocess":
        finished = count_reprocessed(connection, [request for _, request in manifest.requests])
    return Progress(manifest.batch_id, manifest.mode, finished, manifest.total, batch.changed_at)
