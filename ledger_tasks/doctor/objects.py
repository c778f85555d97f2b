"""The object store of recognition: an object is written, read and removed, as uploads and results are."""

from collections.abc import Iterator
from typing import Final

from ledger_tasks.doctor.finding import Finding
from ledger_tasks.errors import Infrastructure
from ledger_tasks.explanations import explain
from ledger_tasks.objects.store import ObjectStore
from ledger_tasks.settings import ObjectSettings

PROBE: Final = b"ledger doctor"


def examine_objects(settings: ObjectSettings | None, probe_id: str) -> Iterator[Finding]:
    """Yield what is found, under a key that nobody else uses; raises ConfigurationError for a wrong address.

    None: the exchange is switched off, and nobody needs the store.
    """
    if settings is None:
        yield Finding("object store", "skipped", "NATS_ENABLED is false")
        return
    store, key = ObjectStore(settings), f"ledger-doctor/{probe_id}"
    try:
        store.put(settings.object_store_bucket, key, PROBE)
        store.get(settings.object_store_bucket, key, len(PROBE))
        store.delete(settings.object_store_bucket, key)
    except Infrastructure as error:
        yield Finding("object store", "wrong", str(error), explain(error.code).remedy)
    else:
        yield Finding("object store", "ok", f"{settings.object_store_bucket}: written, read and removed")
