"""A receipt of ours through the whole chain: broker and database come in; when one is due it is published as v3.

A v3 changes neither extraction nor status, so nothing is booked; the collector's row of its request is the proof.
"""

from pathlib import Path
from typing import Final

from sqlalchemy import Engine

from contracts.receipts.work import RebuildCache
from ledger_tasks.clock import new_id
from ledger_tasks.files.canary import REFERENCE, lay_down
from ledger_tasks.messaging.message import work_message
from ledger_tasks.messaging.publish import NotConfirmedError, Publisher
from ledger_tasks.storage.canary import plan_flight
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.publications import confirm_leases, withdraw_leases

_RECEIPT: Final = Path(__file__).with_name("canary.png")


def fly(engine: Engine, publisher: Publisher, root: Path, period_seconds: float) -> bool:
    """Publish the canary if it is due. Raises Infrastructure or BrokerAwayError; the next tick tries again."""
    sha256 = lay_down(root, _RECEIPT.read_bytes())
    publication, request_id = new_id(), new_id()
    with transaction(engine) as connection:
        if not plan_flight(connection, sha256, REFERENCE, publication, request_id, period_seconds):
            return False
    work = RebuildCache(version=3, source_sha256=sha256, source_reference=REFERENCE, attempt=1, request_id=request_id)
    try:
        publisher.publish([work_message(work, publication=publication)])
    except NotConfirmedError:
        with transaction(engine) as connection:
            withdraw_leases(connection, [publication])
        return False
    with transaction(engine) as connection:
        confirm_leases(connection, [publication])
    return True
