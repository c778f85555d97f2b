"""What lies on the volumes and what stands in the database come in; what is to be derived anew goes out."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ledger_tasks.discovery.batch import Source
from ledger_tasks.files.artifacts import can_put_back
from ledger_tasks.files.cache import find_cache


@dataclass(frozen=True, slots=True)
class Plan:
    """Every source once. `told` and `read` get v1 messages; a receipt that is `uncached` gets its v3 from the scan."""

    stand: list[Source] = field(default_factory=list)
    """Reading and cache are there: nothing to do."""
    put_back: list[tuple[Source, str]] = field(default_factory=list)
    """The cache is lost and its artifact is not: it comes back without OCR; with the hash of the artifact."""
    uncached: list[Source] = field(default_factory=list)
    """The reading stands; cache and artifact are lost: OCR for the cache alone."""
    told: list[Source] = field(default_factory=list)
    """The reading is lost and a valid cache is there: its results are told again without OCR."""
    read: list[Source] = field(default_factory=list)
    """Neither is there: OCR."""
    dead: list[Source] = field(default_factory=list)
    """Neither is there, and a dead letter says why: it waits for a person."""

    @property
    def lost(self) -> list[Source]:
        """Return the sources without a reading."""
        return [*self.told, *self.read]


def plan(cache: Path, sources: Sequence[Source], readings: Mapping[str, str], dead: Collection[str]) -> Plan:
    """Sort the sources by what is left of them. Raises Infrastructure.

    `readings`: hash -> hash of the newest cache; `dead`: hashes that a dead letter names.
    """
    made = Plan()
    for source in sources:
        cached = any(find_cache(cache, source.sha256, path) for path in (source.reference, *source.copies))
        match source.sha256 in readings, cached:
            case True, True:
                made.stand.append(source)
            case True, False:
                artifact = readings[source.sha256]
                if artifact and can_put_back(cache, source.sha256, artifact):
                    made.put_back.append((source, artifact))
                else:
                    made.uncached.append(source)
            case False, True:
                made.told.append(source)
            case _ if source.sha256 in dead:
                made.dead.append(source)
            case _:
                made.read.append(source)
    return made
