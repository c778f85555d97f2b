"""The inbox: received bodies come in, jobs and files change, and the numbers of the entries that must wait go out."""

import hashlib
import logging
import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from sqlalchemy import Engine, exc

from contracts.recognition.versions import Envelope, UnknownMajor, decode_envelope
from contracts.wire import ContractError
from ledger_tasks.errors import Infrastructure
from ledger_tasks.recognition.job import RESULT_KEY_CONFLICT, Answer, Ended, Ignored, Job, Started, after, receive
from ledger_tasks.recognition.journal import Entry
from ledger_tasks.recognition.text import storable
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.recognition_changes import Address, register_results, write_changes
from ledger_tasks.storage.recognition_jobs import limit_lock_waits, lock_free_jobs, was_held_up
from ledger_tasks.tracing import happened

log = logging.getLogger(__name__)


class Received(NamedTuple):
    """An entry of a journal that is an answer."""

    number: int
    answer: Answer


def settle(engine: Engine, entries: Sequence[Entry]) -> set[int]:
    """Apply entries; return the numbers of those that must wait because somebody holds their job or file.

    All go in one transaction. When one of them breaks it each goes alone, so that the bad one blocks nobody: what can
    never be stored is logged and dropped. Raises Infrastructure when the database is away; then nothing was applied.
    """
    return _settle(engine, [Received(each.number, answer) for each in entries if (answer := read(each)) is not None])


def read(entry: Entry) -> Answer | None:
    """Return what an entry says; None, with a line in the log, for what is no envelope of a MAJOR that we speak."""
    digest = hashlib.sha256(entry.body).hexdigest()
    try:
        envelope = decode_envelope(entry.body)
    except ContractError as error:
        log.warning("an envelope was dropped: %s", error, extra={"digest": digest})
        return None
    if isinstance(envelope, UnknownMajor):
        log.warning("an envelope of unknown MAJOR %s was dropped", envelope.version, extra={"digest": digest})
        return None
    return _answer(envelope, entry.message_id or f"sha256:{digest}", digest)


def _settle(engine: Engine, received: Sequence[Received]) -> set[int]:
    if not received:
        return set()
    try:
        return _apply(engine, received)
    except (exc.DataError, exc.IntegrityError) as error:
        if len(received) == 1:
            log.error("an answer cannot be stored: %s", type(error).__name__, extra=_ids(received[0].answer))  # noqa: TRY400
            return set()
    except Infrastructure as error:
        if not was_held_up(error):
            raise
        if len(received) == 1:
            return {received[0].number}
    return set().union(*(_settle(engine, [each]) for each in received))


def _apply(engine: Engine, received: Sequence[Received]) -> set[int]:
    """Lock the jobs first and decide afterwards: an acknowledgement may overtake the publisher's commit."""
    begun = time.time_ns()
    with transaction(engine) as connection:
        limit_lock_waits(connection)
        locked, held = lock_free_jobs(connection, {each.answer.job_id for each in received})
        due = [each for each in received if each.answer.job_id in locked]
        changes, ignored = _decide(locked, due)
        results = {
            change.answer.result: change.answer.service_name
            for _, decided in changes.values()
            for change in decided
            if isinstance(change, Ended) and change.answer and change.answer.result
        }
        objects = register_results(connection, results)
        write_changes(
            connection,
            [(job, [_checked(change, objects) for change in decided]) for job, decided in changes.values()],
            objects,
        )
    for step, kind in (("recognition.acknowledge", Started), ("recognition.result", Ended)):
        happened(
            step, (job.id for job, decided in changes.values() for each in decided if isinstance(each, kind)), begun
        )
    _log(received, locked, held, ignored)
    return {each.number for each in received if each.answer.job_id in held}


def _decide(
    locked: dict[str, Job], received: Sequence[Received]
) -> tuple[dict[str, tuple[Job, list[Started | Ended]]], list[tuple[Answer, Ignored]]]:
    """Decide each answer on the job as the answers before it left it."""
    standing = dict(locked)
    changes: dict[str, tuple[Job, list[Started | Ended]]] = {}
    ignored: list[tuple[Answer, Ignored]] = []
    for _, answer in received:
        decision = receive(standing[answer.job_id], answer)
        if isinstance(decision, Ignored):
            ignored.append((answer, decision))
        else:
            standing[answer.job_id] = after(standing[answer.job_id], decision)
            changes.setdefault(answer.job_id, (locked[answer.job_id], []))[1].append(decision)
    return changes, ignored


def _checked(change: Started | Ended, objects: dict[Address, str]) -> Started | Ended:
    """Turn a result whose address already belongs to something else into an error."""
    if isinstance(change, Started) or change.answer is None or change.answer.result in {None, *objects}:
        return change
    message = "the address of the result belongs to an object that is no result"
    return replace(change, status="error", error_code=RESULT_KEY_CONFLICT, error_message=message)


def _log(
    received: Sequence[Received],
    locked: Collection[str],
    held: Collection[str],
    ignored: Sequence[tuple[Answer, Ignored]],
) -> None:
    for answer, decision in ignored:
        level = logging.DEBUG if decision.expected else logging.WARNING
        log.log(level, "an answer was ignored: %s", decision.reason, extra=_ids(answer))
    for _, answer in received:
        if answer.job_id not in locked and answer.job_id not in held:
            log.warning("an answer was ignored: no such job", extra=_ids(answer))


def _ids(answer: Answer) -> dict[str, str]:
    return {"job_id": answer.job_id, "message_id": answer.message_id, "envelope_status": answer.status}


def _answer(envelope: Envelope, message_id: str, digest: str) -> Answer:
    result, error = envelope.result_s3, envelope.error
    fields = {
        "job_id": envelope.job_id.lower(),
        "status": envelope.status,
        "service_name": envelope.service.name,
        "service_version": envelope.service.version,
        "statements_version": envelope.statements_version,
        "result": (result.bucket, result.key) if result else None,
        "result_schema_version": envelope.result_schema_version,
        "metrics": envelope.stored_metrics(),
        "error_code": error.code if error else None,
        "error_message": error.message if error else None,
        "message_id": message_id,
        "digest": digest,
    }
    return Answer(**storable(fields))
