"""One letter of a dead queue: an AMQP message comes in; who it is, why it is dead and what it says go out."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final
from uuid import NAMESPACE_URL, UUID, uuid5

from contracts.identity import failed_run
from contracts.receipts.codes import FailureCode
from contracts.receipts.results import ResultEvent, decode_result
from contracts.receipts.work import Work, budget_key, decode_work
from contracts.wire import ContractError, canonical
from ledger_tasks.messaging.delivery import Delivery
from ledger_tasks.messaging.message import BUDGET, PUBLICATION
from ledger_tasks.messaging.topology import RECEIPTS, RESULTS

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


def identified(family_name: str, messages: list[Any]) -> list[DeadCopy]:
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
