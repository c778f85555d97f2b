"""Dead letters as a product: a selection comes in; letters are listed, replayed with a new budget, or purged."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from uuid import UUID, uuid5

from sqlalchemy import Engine

from contracts.receipts.results import decode_result
from contracts.receipts.work import decode_work, encode_work
from contracts.wire import ContractError
from ledger_tasks.messaging.dead import look, remove
from ledger_tasks.messaging.letter import FAMILY_NAMES, DeadCopy
from ledger_tasks.messaging.message import BUDGET, PUBLICATION, Message
from ledger_tasks.messaging.publish import NotConfirmedError, Publisher
from ledger_tasks.messaging.topology import RECEIPTS
from ledger_tasks.storage import dead_letters as storage
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.dead_letters import SeenLetter, Selection


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of a selection: counts by code, and of letters whose copy has never been seen (`unseen`)."""

    selected: int
    settled: int
    unseen: int
    by_code: dict[str, int]


def reconcile(engine: Engine, publisher: Publisher) -> int:
    """Look into both dead queues and write the rows that are missing; return how many letters lie there."""
    with storage.alone_with_dead_queues(engine):
        return _reconcile(engine, publisher)


def listed(engine: Engine, publisher: Publisher, selection: Selection) -> list[SeenLetter]:
    """Return the letters that nobody has settled, as the queues stand now."""
    reconcile(engine, publisher)
    with transaction(engine) as connection:
        return storage.unsettled(connection, selection)


def replay(engine: Engine, publisher: Publisher, selection: Selection) -> Settled:
    """Send a frozen snapshot back to work, each letter under a new budget; confirmed before the dead copy goes.

    Killed at any point and run again it ends the same: the ids of the new publication come from the letter, so
    that a letter sent twice is one piece of work. Raises NotConfirmedError; what was confirmed stays so.
    """
    with storage.alone_with_dead_queues(engine):
        _reconcile(engine, publisher)
        with transaction(engine) as connection:
            letters = storage.unsettled(connection, selection)
            seen = [letter for letter in letters if letter.body]
            storage.begin_replay(connection, [letter.id for letter in seen])
        fate = publisher.attempt([_replayed(letter) for letter in seen])
        confirmed = [letter for position, letter in enumerate(seen) if position in fate.confirmed]
        _take_away(engine, publisher, confirmed, "replayed")
        if not fate.complete:
            raise NotConfirmedError(fate)
    return _settled(letters, confirmed)


def purge(engine: Engine, publisher: Publisher, selection: Selection) -> Settled:
    """Take letters out of their queues; their rows keep body and reason for ever."""
    with storage.alone_with_dead_queues(engine):
        _reconcile(engine, publisher)
        with transaction(engine) as connection:
            letters = storage.unsettled(connection, selection)
        _take_away(engine, publisher, letters, "purged")
    return _settled(letters, letters)


def put_aside(engine: Engine, publisher: Publisher, source_sha256: str) -> int:
    """Take away the letters of a receipt that is being retried; return how many. Its new lease stays.

    The caller is alone with the dead queues.
    """
    _reconcile(engine, publisher)
    with transaction(engine) as connection:
        letters = storage.unsettled(connection, Selection(source_sha256=source_sha256))
    _take_away(engine, publisher, letters, "replayed", keep_leases=True)
    return len(letters)


def preview(letters: Sequence[SeenLetter]) -> Settled:
    """Return what replay or purge would do."""
    return _settled(letters, [])


def _reconcile(engine: Engine, publisher: Publisher) -> int:
    copies = [copy for family in FAMILY_NAMES for copy in look(publisher.connection(), family)]
    with transaction(engine) as connection:
        storage.record_seen(connection, [_row(copy) for copy in copies])
    return len(copies)


def _row(copy: DeadCopy) -> SeenLetter:
    return SeenLetter(**{name: value for name, value in asdict(copy).items() if name != "failed_run_id"})


def _take_away(
    engine: Engine, publisher: Publisher, letters: Sequence[SeenLetter], state: str, *, keep_leases: bool = False
) -> None:
    ids = {letter.id for letter in letters}
    for family in sorted({letter.family for letter in letters}):
        remove(publisher.connection(), family, lambda copy: copy.id in ids)
    with transaction(engine) as connection:
        storage.settle_letters(connection, sorted(ids), state, keep_leases=keep_leases)


def _replayed(letter: SeenLetter) -> Message:
    family = FAMILY_NAMES[letter.family]
    body, kind = _first_attempt(letter)
    derived = {name: str(uuid5(UUID(letter.id), f"replay:{name}")) for name in (PUBLICATION, BUDGET)}
    return Message(family.work, family.routing_key, body, letter.message_id, kind, derived)


def _first_attempt(letter: SeenLetter) -> tuple[bytes, str | None]:
    """Return the body, a work request back at its first attempt, and its AMQP type where the body tells it."""
    try:
        if FAMILY_NAMES[letter.family] is RECEIPTS:
            work = decode_work(letter.body).at_attempt(1)
            return encode_work(work), work.message_type
        return letter.body, decode_result(letter.body).name
    except ContractError:
        return letter.body, None


def _settled(letters: Sequence[SeenLetter], done: Sequence[SeenLetter]) -> Settled:
    return Settled(
        selected=len(letters),
        settled=len(done),
        unseen=sum(1 for letter in letters if not letter.body),
        by_code=dict(Counter(letter.code for letter in letters)),
    )
