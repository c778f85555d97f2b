"""`ledger batches watch ID`: follow a batch that was queued until each of its requests has an outcome."""

from typing import Annotated
from uuid import UUID

import typer

from ledger_tasks.cli.connection import database
from ledger_tasks.cli.following import conclude, follow
from ledger_tasks.cli.output import Json, Timeout, emit
from ledger_tasks.cli.progress import progress
from ledger_tasks.discovery.mounted import volumes_needed
from ledger_tasks.errors import NotFoundError, UsageError
from ledger_tasks.files.batches import read_manifest
from ledger_tasks.settings import CacheSettings, load


def watch(
    batch_id: Annotated[str, typer.Argument(metavar="ID", help="The batch id that the command printed.")],
    timeout: Timeout = 3600.0,
    _json: Json = False,
) -> None:
    """Show the progress of a batch and end when it does; the outcomes decide the exit code (0, 5 or 6).

    Example: `ledger batches watch 840023b1-a078-4914-b074-81bd7129bb75`
    """
    cache = load(CacheSettings).home_budget_ocr_cache
    with volumes_needed():
        manifest = read_manifest(cache, _uuid(batch_id))
    if manifest is None or (manifest.total and not manifest.requests):
        raise NotFoundError(
            f"no batch {batch_id} was announced on the cache volume",
            remedy="Use the batch_id that `ocr-cache rebuild` or `receipts process --refresh-ocr-cache` printed.",
        )
    with database() as engine, progress("finished", manifest.total) as on_progress:
        ended = follow(engine, manifest.mode, manifest.requests, timeout=timeout, on_progress=on_progress)
    emit({"batch_id": batch_id, "total": manifest.total, "outcomes": dict(ended)})
    conclude(ended)


def _uuid(given: str) -> str:
    try:
        return str(UUID(given))
    except ValueError:
        raise UsageError(f"{given!r} is no batch id: it is a UUID") from None
