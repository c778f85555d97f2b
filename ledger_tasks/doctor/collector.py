"""The collector: it has no more deliveries in hand than its connection may give back at once."""

from collections.abc import Iterator

from ledger_tasks.doctor.finding import Finding
from ledger_tasks.settings.parts import SAFE_PREFETCH, PrefetchSettings


def examine_collector(settings: PrefetchSettings) -> Iterator[Finding]:
    """Yield whether results survive a connection that dies before the broker does."""
    told = f"{settings.collector_prefetch} deliveries in hand"
    if settings.collector_prefetch <= SAFE_PREFETCH:
        yield Finding("collector prefetch", "ok", told)
        return
    risk = f"{told}: of more than {SAFE_PREFETCH}, given back at once, a crash of the broker may lose some"
    remedy = "Unset COLLECTOR_PREFETCH and start each `ledger worker collector` again."
    yield Finding("collector prefetch", "warning", risk, remedy)
