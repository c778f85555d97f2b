"""One delivery under its source lock: what lies on the volume and what the reader says decide what becomes of it."""

import logging
from dataclasses import dataclass
from datetime import datetime

from contracts.receipts.codes import FailureCode
from contracts.receipts.results import Failure, TraceContext
from contracts.receipts.work import MAX_ATTEMPTS, RebuildCacheInBatch, Work, encode_work
from ledger_tasks.clock import new_id
from ledger_tasks.errors import Infrastructure, ReceiptError, Terminal, Transient
from ledger_tasks.files.attempts import is_exhausted, last_code
from ledger_tasks.files.batches import record_finished
from ledger_tasks.files.cache import Cache, CachedRun, find_cache, write_cache
from ledger_tasks.files.locks import SourceLock, source_lock
from ledger_tasks.files.markers import Marker, write_marker
from ledger_tasks.files.source import read_verified, verify
from ledger_tasks.messaging.delivery import LAST_DELIVERY, Delivery
from ledger_tasks.messaging.message import Message
from ledger_tasks.messaging.outcome import Again, Dead, Done, Outcome, Reason, reason_of
from ledger_tasks.ocr import events
from ledger_tasks.ocr.budget import Account
from ledger_tasks.ocr.desk import Desk
from ledger_tasks.ocr.protocol import MAX_DOCUMENT, Reading
from ledger_tasks.ocr.reuse import Fresh, Silent, Tell, reuse
from ledger_tasks.tracing import trace_of

SILENT_CODES = frozenset({FailureCode.PATH_UNSAFE, FailureCode.HASH_MISMATCH})
"""Dead letters that say nothing about the receipt of that hash: no run-failed event goes with them."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Case:
    """One delivery under its source lock."""

    desk: Desk
    work: Work
    delivery: Delivery
    account: Account

    @property
    def trace(self) -> TraceContext:
        """Return the trace that the publication of this delivery named."""
        return TraceContext(traceparent=trace_of(self.account.publication))

    def decide(self, lock: SourceLock) -> Outcome:
        """Tell again what is known, or attempt. Raises Infrastructure."""
        if self.account.budget.spent:
            return Done()
        match reuse(self.desk.cache, self.work, self.account.publication):
            case Tell(cache):
                return self._tell_or_die(cache)
            case Silent():
                return Done()
            case Fresh():
                return self._attempt(lock)

    def _attempt(self, lock: SourceLock) -> Outcome:
        counted = self.account.counted
        if is_exhausted(counted):
            return self.dead(last_code(counted), "Transient", "three starts were used up")
        if self.delivery.delivery_count >= LAST_DELIVERY:
            return self.dead(FailureCode.DELIVERIES_EXHAUSTED, "Terminal", "the broker delivered it too often")
        try:
            content = read_verified(
                self.desk.root, self.work.source_reference, self.work.source_sha256, limit=MAX_DOCUMENT
            )
        except Terminal as error:
            return self._without_source(error)
        return self._read(content, lock)

    def _without_source(self, error: Terminal) -> Outcome:
        """A source that is gone or changed is no failure when its hash was read before."""
        known = find_cache(self.desk.cache, self.work.source_sha256, self.work.source_reference)
        if known is not None:
            return self._tell_or_die(known)
        return self.dead(error.code, "Terminal", error.detail)

    def _read(self, content: bytes, lock: SourceLock) -> Outcome:
        start = new_id()
        try:
            self.account.start(start, f"{self.desk.worker.host}:{self.desk.worker.pid}")
            self.desk.open_start(self.work.source_sha256, start)
            begun = self.desk.now()
            reading = self.desk.read(content)
            verify(self.desk.root, self.work.source_reference, self.work.source_sha256)
            cache = write_cache(
                self.desk.cache, self.work.source_reference, self._run(reading, begun, lock.next_generation())
            )
            outcome = self._tell(cache)
        except Infrastructure:
            self.account.end(start, "released", None, self.desk.owed)
            raise
        except (Terminal, Transient) as error:
            self.account.end(start, "failed", error.code, self.desk.owed)
            return self._after(error)
        else:
            self.account.end(start, "ok", None, self.desk.owed)
            return outcome
        finally:
            self.desk.open_start(self.work.source_sha256, None)

    def _after(self, failure: ReceiptError) -> Outcome:
        """Decide after a failed start: again while the budget and the body's own attempts allow it."""
        last = is_exhausted(self.account.counted) or self.work.attempt >= MAX_ATTEMPTS
        if isinstance(failure, Transient) and not last:
            body = encode_work(self.work.next_attempt())
            return Again(body, {**self.delivery.headers, **self.account.headers}, reason(failure))
        return self.dead(failure.code, type(failure).__name__, failure.detail)

    def dead(self, code: FailureCode | str, kind: str, detail: str) -> Dead:
        """Dead, with run-failed where the failure says something about this receipt."""
        told: tuple[Message, ...] = ()
        if code not in SILENT_CODES:
            attempts = max(len(self.account.counted), 1)
            failure = Failure(code=FailureCode(code), detail=detail, attempts=attempts, terminal=True)
            told = events.failed(
                self.work, self.account.budget.key, failure, self.desk.worker, self.trace, self.desk.now()
            )
        headers = {**self.delivery.headers, **self.account.headers}
        return Dead(reason_of(code, kind, detail), headers, told, lambda: self._spend(str(code)))

    def _spend(self, code: str) -> None:
        with source_lock(self.desk.cache, self.work.source_sha256, seconds=self.desk.lock_seconds):
            self.account.spend(code)

    def _tell(self, cache: Cache) -> Done:
        """Done, with the events of a cache; once they are confirmed the request's marker says so."""
        marker = self._marker(cache)
        if marker is not None:
            write_marker(self.desk.cache, marker)
        told = events.completed(
            self.work, cache, self.desk.artifact_prefix, self.desk.worker, self.trace, self.desk.now()
        )
        return Done(told, lambda: self._finish(marker))

    def _tell_or_die(self, cache: Cache) -> Outcome:
        try:
            return self._tell(cache)
        except Terminal as error:
            return self.dead(error.code, "Terminal", error.detail)

    def _marker(self, cache: Cache) -> Marker | None:
        if self.work.request_id is None:
            return None
        return Marker(source_sha256=self.work.source_sha256, request_id=self.work.request_id, cache_sha256=cache.sha256)

    def _finish(self, marker: Marker | None) -> None:
        if marker is None:
            return
        publication = self.account.publication
        with source_lock(self.desk.cache, self.work.source_sha256, seconds=self.desk.lock_seconds):
            write_marker(self.desk.cache, marker.model_copy(update={"confirmed_publication": publication}))
        if isinstance(self.work, RebuildCacheInBatch):
            total = self.work.batch_total
            finished = record_finished(self.desk.cache, self.work.batch_id, self.work.request_id, total)
            log.info("batch completed=%d/%d", finished, total, extra={"batch_id": self.work.batch_id})

    def _run(self, reading: Reading, begun: datetime, generation: int) -> CachedRun:
        finished = self.desk.now()
        return CachedRun(
            schema_version=1,
            source_sha256=self.work.source_sha256,
            ocr_run=new_id(),
            generation=generation,
            engine=reading.engine,
            engine_version=reading.engine_version,
            extractor_version=reading.extractor_version,
            processed_at=finished,
            processing_seconds=max((finished - begun).total_seconds(), 0.0),
            timings=reading.timings,
            pages=reading.pages,
            receipt=reading.receipt,
            passes=reading.passes,
            page_signature=reading.page_signature,
            lines=tuple(tuple(line.model_dump(mode="json") for line in each.lines) for each in reading.evidence),
        )


def reason(error: ReceiptError) -> Reason:
    """Return what a copy says of a failure."""
    return reason_of(error.code, type(error).__name__, error.detail)
