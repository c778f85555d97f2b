"""The JSON Schemas of the receipts path, made from the models: nothing comes in, file name -> schema goes out."""

from typing import Any, Final

from contracts.receipts.results import PassCompleted, RunCompleted, RunFailed
from contracts.receipts.work import ProcessReceipt, RebuildCache, RebuildCacheInBatch, ReprocessReceipt
from contracts.wire import Wire

MODELS: Final[dict[str, type[Wire]]] = {
    "receipt.process.v1.schema.json": ProcessReceipt,
    "receipt.reprocess.v2.schema.json": ReprocessReceipt,
    "receipt.cache-rebuild.v3.schema.json": RebuildCache,
    "receipt.cache-rebuild.v3.batch.schema.json": RebuildCacheInBatch,
    "ocr.run-completed.v1.schema.json": RunCompleted,
    "ocr.pass-completed.v1.schema.json": PassCompleted,
    "ocr.run-failed.v1.schema.json": RunFailed,
}
"""File below `schemas/` -> model. Safe paths and index <= total are rules that a schema cannot say."""


def schemas() -> dict[str, dict[str, Any]]:
    """Return every schema; a test holds the committed files equal to these."""
    return {name: _schema(model) for name, model in MODELS.items()}


def _schema(model: type[Wire]) -> dict[str, Any]:
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | model.model_json_schema()
