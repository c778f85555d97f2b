"""One AMQP message of ours as a value: where it goes, its bytes, its properties and headers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from contracts.receipts.results import ResultEvent, encode_result
from contracts.receipts.work import Work, encode_work
from ledger_tasks.messaging.topology import RECEIPTS, RESULTS

PUBLICATION: Final = "x-ledger-publication"
"""UUID of one publication; a redelivery and a retry copy keep it."""

BUDGET: Final = "x-ledger-budget"
"""UUID that opens a new budget of three attempts; set by replay and retry."""

HELD: Final = "x-ledger-held"
"""How often the delivery was handed back because infrastructure was away."""

RESULT_ATTEMPT: Final = "x-ledger-result-attempt"
"""How often the collector has tried an event, from 1."""

YIELDED: Final = "x-ledger-yielded"
"""On work of a batch: the newest token of new receipts (files/urgency.py) when it was last put into the queue."""

OUR_HEADERS: Final = (PUBLICATION, BUDGET, HELD, RESULT_ATTEMPT, YIELDED)

JSON_TYPE: Final = "application/json"


@dataclass(frozen=True, slots=True)
class Message:
    """A persistent message for a named exchange. `message_id` and `type` may be unknown for a foreign body."""

    exchange: str
    routing_key: str
    body: bytes
    message_id: str | None = None
    type: str | None = None
    headers: Mapping[str, str | int] = field(default_factory=dict)
    content_type: str = JSON_TYPE

    def properties(self, at: datetime) -> dict[str, object]:
        """Return the AMQP properties; `timestamp` is integer seconds."""
        named = {"message_id": self.message_id, "type": self.type}
        return {
            "content_type": self.content_type,
            "content_encoding": "utf-8" if self.content_type == JSON_TYPE else "binary",
            "delivery_mode": 2,
            "timestamp": int(at.timestamp()),
            "application_headers": dict(self.headers),
            **{name: value for name, value in named.items() if value is not None},
        }


def work_message(work: Work, *, publication: str, budget: str | None = None, yielded: str | None = None) -> Message:
    """Address one work request to the work exchange; with `yielded` it lets new receipts overtake."""
    named = {PUBLICATION: publication, BUDGET: budget, YIELDED: yielded}
    headers = {name: value for name, value in named.items() if value is not None}
    return Message(RECEIPTS.work, RECEIPTS.routing_key, encode_work(work), work.message_id, work.message_type, headers)


def result_message(event: ResultEvent) -> Message:
    """Address one result event to the results exchange."""
    return Message(RESULTS.work, RESULTS.routing_key, encode_result(event), event.message_id, event.name)
