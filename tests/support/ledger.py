"""A receipt that was read and collected: a file, its cache, its artifact and every row, as workers leave them."""

import json
from datetime import UTC, datetime
from hashlib import sha256

from contracts.receipts.results import TraceContext, Worker, decode_result
from contracts.receipts.work import process
from ledger_tasks.collector.apply import collect
from ledger_tasks.files.cache import CachedRun, find_cache, write_cache
from ledger_tasks.ocr.events import completed
from tests.support.events import CAFE, PASS, receipt, uuid

AT = datetime(2026, 8, 15, 9, 30, tzinfo=UTC)


def put_receipt(volumes, reference, content=None):
    """Write the file of a receipt and return its hash."""
    path = volumes.root / reference
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content or f"%PDF-1.4 {reference}".encode())
    return sha256(path.read_bytes()).hexdigest()


def read_receipt(volumes, reference, generation=1, **said):
    """Leave the cache that a worker makes of a receipt; return its hash."""
    digest = put_receipt(volumes, reference)
    items = [{"description": "Cake", "quantity": "2", "unit_price": "503.75", "total": "1007.50"}]
    document = {
        "schema_version": 1,
        "source_sha256": digest,
        "ocr_run": uuid(f"{reference} {generation}"),
        "generation": generation,
        "engine": "rapidocr",
        "engine_version": "3.10",
        "extractor_version": "1",
        "processed_at": "2026-08-14T12:00:00Z",
        "processing_seconds": 1.5,
        "timings": {"ocr": 1.2},
        "pages": 1,
        "receipt": receipt(items=items, **(CAFE | said)),
        "passes": [PASS],
    }
    write_cache(volumes.cache, reference, CachedRun.model_validate_json(json.dumps(document)))
    return digest


def tell(volumes, engine, reference, digest):
    """Collect what a worker tells of the cache of a receipt when it is given a v1 message."""
    cache = find_cache(volumes.cache, digest, reference)
    worker = Worker(service="ocr", host="worker-1", pid=1)
    trace = TraceContext(traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
    messages = completed(process(digest, reference), cache, "artifact:", worker, trace, AT)
    return collect([decode_result(message.body) for message in messages], engine, AT)


def book_receipt(volumes, engine, reference, **said):
    """Read a receipt and collect it; return its hash."""
    digest = read_receipt(volumes, reference, **said)
    tell(volumes, engine, reference, digest)
    return digest
