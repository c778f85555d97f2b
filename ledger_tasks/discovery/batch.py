"""Refreshes on request: sources come in, v2 or v3 messages with derived ids are published and counted. No database."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from contracts.identity import batch_cache_request, batch_reprocess_request
from contracts.receipts.work import RebuildCacheInBatch, Work, reprocess
from ledger_tasks.clock import new_id
from ledger_tasks.discovery.publishing import Publication, send, trouble_of
from ledger_tasks.discovery.walk import Found, Invalid, Unsupported, walk
from ledger_tasks.errors import Infrastructure, LedgerError, Terminal
from ledger_tasks.files.cache import find_cache
from ledger_tasks.files.source import SOURCE_UNREADABLE, content_hash, open_source
from ledger_tasks.messaging.publish import Publisher

WINDOW: Final = 1000
"""Publications between two reports of progress."""

Mode = Literal["reprocess", "cache_only"]


@dataclass(frozen=True, slots=True)
class Source:
    """One content, the path to read it at, and the other paths at which the same content lies."""

    reference: str
    sha256: str
    copies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Batch:
    """One request for many sources; the same id and the same sources always make the same messages."""

    id: str
    mode: Mode
    sources: tuple[Source, ...]

    def works(self) -> Iterator[Work]:
        """Yield the message of each source, in the order of paths."""
        for index, source in enumerate(self.sources, start=1):
            if self.mode == "reprocess":
                request = batch_reprocess_request(self.id, source.reference)
                yield reprocess(source.sha256, source.reference, request)
            else:
                yield RebuildCacheInBatch(
                    version=3,
                    source_sha256=source.sha256,
                    source_reference=source.reference,
                    attempt=1,
                    request_id=batch_cache_request(self.id, source.reference),
                    batch_id=self.id,
                    batch_index=index,
                    batch_total=len(self.sources),
                )

    def requests(self) -> list[tuple[str, str]]:
        """Return the source hash and the request id of each message."""
        return [(work.source_sha256, work.request_id or "") for work in self.works()]


@dataclass(frozen=True, slots=True)
class Queued:
    """How many publications the broker has confirmed, and what ended them early, if anything did."""

    confirmed: int
    trouble: LedgerError | None


def find_source(root: Path, reference: str) -> Source:
    """Hash one file. Raises Terminal PATH_UNSAFE or SOURCE_MISSING, else Infrastructure."""
    with open_source(root, reference) as file:
        return Source(reference, content_hash(file))


def find_sources(
    root: Path, on_found: Callable[[int], None], on_invalid: Callable[[str, str], None]
) -> tuple[Source, ...]:
    """Hash every file below the root; of several paths of one content the first counts. In the order of paths."""
    unique: dict[str, Source] = {}
    for reference in sorted(_references(root, on_invalid)):
        try:
            source = find_source(root, reference)
        except Terminal as broken:
            if broken.code != "SOURCE_MISSING":
                on_invalid(reference, broken.detail)
            continue
        except Infrastructure as trouble:
            if trouble.code != SOURCE_UNREADABLE:
                raise
            on_invalid(reference, trouble.detail)
            continue
        first = unique.setdefault(source.sha256, source)
        if first is not source:
            unique[source.sha256] = replace(first, copies=(*first.copies, reference))
        on_found(len(unique))
    return tuple(unique.values())


def without_cache(cache: Path, sources: Sequence[Source]) -> tuple[Source, ...]:
    """Return the sources that have no valid cache at any of their paths."""
    return tuple(
        source
        for source in sources
        if not any(find_cache(cache, source.sha256, path) for path in (source.reference, *source.copies))
    )


def queue(
    works: Sequence[Work],
    publisher: Publisher,
    *,
    rerun: str,
    yielded: str | None = None,
    on_confirmed: Callable[[int], None] = lambda _: None,
) -> Queued:
    """Publish with pipelined confirms, window after window, and stop at the first that is not all confirmed.

    With `yielded`, the present token of new receipts, later ones overtake these works.
    """
    confirmed = 0
    for start in range(0, len(works), WINDOW):
        fate = send(publisher, [Publication(work, new_id(), yielded) for work in works[start : start + WINDOW]])
        confirmed += len(fate.confirmed)
        on_confirmed(confirmed)
        if not fate.complete:
            return Queued(confirmed, trouble_of(fate, confirmed, rerun=rerun))
    return Queued(confirmed, None)


def _references(root: Path, on_invalid: Callable[[str, str], None]) -> Iterator[str]:
    for sight in walk(root):
        match sight:
            case Found():
                yield sight.reference
            case Invalid(reference, reason):
                on_invalid(reference, reason)
            case Unsupported():
                pass
