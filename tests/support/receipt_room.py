"""Two volumes with one receipt and a reader that answers as told: what `process` needs, without a broker."""

import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from contracts.receipts import work as works
from contracts.receipts.receipt import Receipt
from contracts.receipts.results import Worker
from contracts.receipts.work import encode_work
from ledger_tasks.files import volumes
from ledger_tasks.messaging.delivery import Delivery
from ledger_tasks.messaging.message import PUBLICATION
from ledger_tasks.messaging.outcome import Dead, Done
from ledger_tasks.ocr.desk import Desk
from ledger_tasks.ocr.process import process
from ledger_tasks.ocr.protocol import Reading

CONTENT = b"what a receipt file holds"
SHA = hashlib.sha256(CONTENT).hexdigest()
REF = "2026/a.jpg"
FIRST, SECOND = "0b7c1d52-53b0-4f3c-9d59-0d8d4b1c2a11", "5c1c8a0e-6f0f-4c38-8f9b-3f6fd5f0b222"
REQUEST = "840023b1-a078-4914-b074-81bd7129bb75"


def reading(text: str = "TOTAL 1.00") -> Reading:
    receipt = Receipt(raw_text=text, extraction_status="review", review_reasons=("TOTAL_MISSING",))
    return Reading(
        receipt=receipt,
        evidence=(),
        pages=1,
        engine="e",
        engine_version="1",
        extractor_version="1",
        timings={},
        page_signature=None,
    )


class Room:
    """Two volumes with one receipt, and a reader that runs `self.reads` and counts."""

    def __init__(self, folder: Path) -> None:
        self.root, self.cache = folder / "root", folder / "cache"
        (self.root / "2026").mkdir(parents=True)
        self.cache.mkdir()
        volumes.initialise(self.root, self.cache)
        (self.root / REF).write_bytes(CONTENT)
        self.runs = 0
        self.reads: Callable[[], Reading] = reading
        self.open: list[tuple[str, str | None]] = []
        self.desk = Desk(
            root=self.root,
            cache=self.cache,
            artifact_prefix="artifact:",
            lock_seconds=0.2,
            read=self._read,
            worker=Worker(service="ocr", host="h", pid=1),
            now=lambda: datetime.now(UTC),
            open_start=lambda sha, start: self.open.append((sha, start)),
        )

    def _read(self, _content: bytes) -> Reading:
        self.runs += 1
        return self.reads()

    def raises(self, error: Exception) -> None:
        def fail() -> Reading:
            raise error

        self.reads = fail

    def ends(self) -> list[str]:
        """Return how each start of the receipt ended, of all budgets."""
        budgets = [json.loads(path.read_text()) for path in (self.cache / ".attempts" / SHA).glob("*.json")]
        return [start["end"] for budget in budgets for start in budget["starts"]]

    def deliver(self, delivery: Delivery, *, confirmed: bool = True):
        outcome = process(delivery, self.desk)
        if confirmed and isinstance(outcome, Done | Dead):
            outcome.then()
        return outcome


def v1(publication: str | None = FIRST, *, attempt: int = 1, count: int = 0, **headers: str | int) -> Delivery:
    return delivery(works.process(SHA, REF, attempt), publication, count, headers)


def v2(publication: str | None = FIRST, *, request: str = REQUEST, count: int = 0, **headers: str | int) -> Delivery:
    return delivery(works.reprocess(SHA, REF, request), publication, count, headers)


def delivery(work, publication, count, headers) -> Delivery:
    named = {PUBLICATION: publication} if publication else {}
    return Delivery(encode_work(work), work.message_id, work.message_type, None, named | headers, count, count > 0)
