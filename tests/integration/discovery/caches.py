"""What a worker leaves behind, as far as discovery judges it."""

import hashlib
import json

from ledger_tasks.files.cache import SCHEMA


def sha256_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def put_cache(inbox, reference, *, source=None, at=None):
    """Write what a worker leaves behind, as far as discovery judges it."""
    document = {
        "schema_version": SCHEMA,
        "source_sha256": source or sha256_of(inbox.root / reference),
        "ocr_run": "840023b1-a078-4914-b074-81bd7129bb75",
        "generation": 1,
        "engine": "rapidocr",
        "engine_version": "3",
        "extractor_version": "1",
        "processed_at": "2026-08-14T12:00:00Z",
        "processing_seconds": 1.0,
        "timings": {},
        "pages": 1,
        "receipt": {},
        "passes": [],
    }
    path = inbox.cache / (at or f"{reference}.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document))
    return path
