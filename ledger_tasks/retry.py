"""A failed receipt comes in; with a new budget of attempts it goes back to work, and its dead letters go away."""

from dataclasses import dataclass

from sqlalchemy import Connection, Engine

from contracts.receipts.work import ProcessReceipt, process
from ledger_tasks import dead_letters
from ledger_tasks.clock import new_id
from ledger_tasks.discovery.publishing import trouble_of
from ledger_tasks.errors import ConflictError
from ledger_tasks.messaging.flight import Fate
from ledger_tasks.messaging.message import work_message
from ledger_tasks.messaging.publish import BrokerAwayError, Publisher
from ledger_tasks.storage.database import lock_sources, transaction
from ledger_tasks.storage.dead_letters import alone_with_dead_queues
from ledger_tasks.storage.publications import Lease, confirm_leases, end_overdue, plan_leases, withdraw_leases
from ledger_tasks.storage.retries import Standing, forget_failure, standing


@dataclass(frozen=True, slots=True)
class Retried:
    """What was published for a receipt, and how many dead letters went away for it."""

    source_sha256: str
    source_reference: str
    letters: int


def retry(engine: Engine, publisher: Publisher, source_sha256: str, *, lease_seconds: float) -> Retried:
    """Publish one confirmed v1 with a new budget, under a lease; then take the receipt's dead letters away.

    Killed at any point the receipt is not lost: the next scan, or the same command again, publishes it.
    Raises ConflictError for a receipt that is done, being worked on, or was never tried, and the errors of publishing.
    """
    with alone_with_dead_queues(engine):
        with transaction(engine) as connection:
            work, lease = _prepare(connection, source_sha256, lease_seconds)
        fate = _publish(publisher, work, lease)
        with transaction(engine) as connection:
            if fate.confirmed:
                confirm_leases(connection, [lease.publication])
            elif not fate.unknown:
                withdraw_leases(connection, [lease.publication])
        trouble = trouble_of(fate, 0, rerun=f"ledger receipts retry {work.source_reference}")
        if trouble is not None:
            raise trouble
        letters = dead_letters.put_aside(engine, publisher, source_sha256)
    return Retried(source_sha256, work.source_reference, letters)


def refusal(found: Standing) -> ConflictError | None:
    """Say why a receipt may not be retried, or None."""
    match found:
        case Standing(status="succeeded" | "review_required"):
            return ConflictError(
                "the receipt is done; there is no failure to retry",
                remedy="To read it again and replace what was extracted, reprocess it.",
                next_command=f"ledger receipts reprocess {found.source_reference}",
            )
        case Standing(leased=True):
            return ConflictError(
                "the receipt is being worked on",
                remedy="Wait for the outcome.",
                next_command=f"ledger receipts explain {found.source_reference}",
            )
        case Standing(status=None, letters=0):
            return ConflictError(
                "the receipt has not failed",
                remedy="The next scan publishes it.",
                next_command="ledger receipts publish",
            )
        case _:
            return None


def _prepare(connection: Connection, source_sha256: str, lease_seconds: float) -> tuple[ProcessReceipt, Lease]:
    lock_sources(connection, [source_sha256])
    end_overdue(connection, lease_seconds)
    found = standing(connection, source_sha256)
    lease = Lease(source_sha256, new_id(), None, None)
    refused = refusal(found)
    if refused is None and not plan_leases(connection, [lease]):
        refused = refusal(Standing(found.source_reference, found.status, True, found.letters))
    if refused is not None:
        raise refused
    forget_failure(connection, source_sha256)
    return process(source_sha256, found.source_reference), lease


def _publish(publisher: Publisher, work: ProcessReceipt, lease: Lease) -> Fate:
    try:
        return publisher.attempt([work_message(work, publication=lease.publication, budget=new_id())])
    except BrokerAwayError:
        return Fate(unsent={0})
