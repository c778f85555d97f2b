"""The dead queues: looked at without losing, reordering or using up a letter, and emptied of chosen ones."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final
from uuid import NAMESPACE_URL, UUID, uuid5

from kombu import Connection

from contracts.identity import failed_run
from contracts.receipts.codes import FailureCode
from contracts.receipts.results import ResultEvent, decode_result
from contracts.receipts.work import Work, budget_key, decode_work
from contracts.wire import ContractError, canonical
from ledger_tasks.messaging.delivery import Delivery
from ledger_tasks.messaging.message import BUDGET, PUBLICATION
from ledger_tasks.messaging.topology import RECEIPTS, RESULTS, Family

GROUP: Final = 16
"""Letters given back at once: larger groups came back in another order, groups of 16 kept 400 in order."""

SILENCE_SECONDS: Final = 10.0
POLL_SECONDS: Final = 0.01

FAMILY_NAMES: Final = {"receipts.v1": RECEIPTS, "ocr.results.v1": RESULTS}

_CODES_OF_THE_BROKER: Final = {
    "delivery_limit": FailureCode.DELIVERIES_EXHAUSTED,
    "rejected": FailureCode.INTERNAL_ERROR,
}


@dataclass(frozen=True, slots=True)
class DeadCopy:
    """One letter as it lies in a dead queue.

    `id` is the same at every look; it is the run id of the run-failed event (`failed_run_id`) where there was one.
    """

    id: str
    family: str
    code: str
    detail: str
    message_id: str | None
    source_sha256: str | None
    source_reference: str | None
    request_id: str | None
    failed_run_id: str | None
    dead_at: datetime
    body: bytes
    headers: dict[str, Any]


def look(connection: Connection, family_name: str) -> list[DeadCopy]:
    """Return every letter of a family's dead queue, oldest first. One look at a time: the caller holds a lock."""
    family = FAMILY_NAMES[family_name]
    with _held(connection, family) as held:
        return _identified(family_name, [message for _, message in held.letters])


def remove(connection: Connection, family_name: str, chosen: Callable[[DeadCopy], bool]) -> int:
    """Acknowledge the chosen letters and give back the others in order; return how many went."""
    family = FAMILY_NAMES[family_name]
    with _held(connection, family) as held:
        copies = _identified(family_name, [message for _, message in held.letters])
        gone = [tag for (tag, _), copy in zip(held.letters, copies, strict=True) if chosen(copy)]
        held.acknowledge(gone)
        return len(gone)


class _Held:
    """Letters taken from one dead queue and not yet given back."""

    def __init__(self, channel: Any, queue: str) -> None:
        self._channel = channel
        self._queue = queue
        self.letters: list[tuple[int, Any]] = []

    def take(self) -> None:
        """Take what is ready now; what arrives meanwhile may come too.

        One that was killed while it looked holds letters until the broker has noticed: its consumer is waited for.
        """
        deadline = time.monotonic() + SILENCE_SECONDS
        while self._declared().consumer_count and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
        expected = self._ready()
        tag = self._channel.basic_consume(self._queue, callback=self._arrived)
        deadline = time.monotonic() + SILENCE_SECONDS
        while len(self.letters) < expected and time.monotonic() < deadline:
            self._channel.connection.drain_events(timeout=SILENCE_SECONDS)
        self._channel.basic_cancel(tag)

    def acknowledge(self, tags: list[int]) -> None:
        """Take these out of the queue for good."""
        for tag in tags:
            self._channel.basic_ack(tag)
        gone = set(tags)
        self.letters = [letter for letter in self.letters if letter[0] not in gone]

    def give_back(self) -> None:
        """Return the rest in groups, each group only once the one before is ready again: that keeps the order."""
        for first in range(0, len(self.letters), GROUP):
            group = self.letters[first : first + GROUP]
            before = self._ready()
            for tag, _ in group:
                self._channel.basic_reject(tag, requeue=True)
            deadline = time.monotonic() + SILENCE_SECONDS
            while self._ready() < before + len(group) and time.monotonic() < deadline:
                time.sleep(POLL_SECONDS)

    def _ready(self) -> int:
        return int(self._declared().message_count)

    def _declared(self) -> Any:
        return self._channel.queue_declare(self._queue, passive=True)

    def _arrived(self, message: Any) -> None:
        self.letters.append((message.delivery_info["delivery_tag"], message))


@contextmanager
def _held(connection: Connection, family: Family) -> Iterator[_Held]:
    with connection.channel() as channel:
        held = _Held(channel, family.dead)
        try:
            held.take()
            yield held
        finally:
            held.give_back()


def _identified(family_name: str, messages: list[Any]) -> list[DeadCopy]:
    """Name each letter; the second of two equal ones gets a name of its own, except copies of one known failure."""
    seen: Counter[str] = Counter()
    copies = []
    for message in messages:
        copy = _copy(family_name, message)
        again = seen[copy.id]
        seen[copy.id] += 1
        if again and copy.failed_run_id is None:
            copy = replace(copy, id=str(uuid5(UUID(copy.id), str(again))))
        copies.append(copy)
    return copies


def _copy(family_name: str, message: Any) -> DeadCopy:
    properties, body = message.properties, _bytes(message.body)
    amqp_headers = properties.get("application_headers") or {}
    delivery = Delivery.from_amqp(body, properties, amqp_headers, redelivered=False)
    code, detail = _reason(amqp_headers)
    at = _moment(properties, amqp_headers)
    known = _content(family_name, body)
    work = known if isinstance(known, Work) else None
    run = _run_of(work, delivery)
    fingerprint = canonical(
        [family_name, delivery.message_id, body.hex(), dict(delivery.headers), code, at.isoformat()]
    )
    return DeadCopy(
        id=run or str(uuid5(NAMESPACE_URL, f"ledger:dead:{fingerprint.decode()}")),
        family=family_name,
        code=code,
        detail=detail,
        message_id=delivery.message_id,
        source_sha256=known.source_sha256 if known else None,
        source_reference=known.source_reference if known else None,
        request_id=work.request_id if work else None,
        failed_run_id=run,
        dead_at=at,
        body=body,
        headers=dict(delivery.headers),
    )


def _content(family_name: str, body: bytes) -> Work | ResultEvent | None:
    try:
        return decode_work(body) if FAMILY_NAMES[family_name] is RECEIPTS else decode_result(body)
    except ContractError:
        return None


def _run_of(work: Work | None, delivery: Delivery) -> str | None:
    """Return the run id of the run-failed event that went with this letter, when it can be told."""
    publication = delivery.text(PUBLICATION)
    if work is None or publication is None:
        return None
    return failed_run(work.message_id, budget_key(work, publication, delivery.text(BUDGET)))


def _reason(headers: Mapping[str, Any]) -> tuple[str, str]:
    """Return code and detail: ours where we wrote them, else what the broker says of its own dead-lettering."""
    code = headers.get("error_code")
    if isinstance(code, str):
        return code, str(headers.get("error_message", ""))
    deaths = headers.get("x-death") or [{}]
    reason = str(deaths[0].get("reason", "unknown"))
    told = _CODES_OF_THE_BROKER.get(reason, FailureCode.INTERNAL_ERROR)
    return told, f"dead-lettered by the broker: {reason}"


def _moment(properties: Mapping[str, Any], headers: Mapping[str, Any]) -> datetime:
    deaths = headers.get("x-death") or [{}]
    stamp = deaths[0].get("time") or properties.get("timestamp") or 0
    if isinstance(stamp, datetime):
        return stamp if stamp.tzinfo else stamp.replace(tzinfo=UTC)
    return datetime.fromtimestamp(int(stamp), UTC)


def _bytes(body: Any) -> bytes:
    return body.encode("utf-8") if isinstance(body, str) else bytes(body)
