"""One delivery of a contract queue as a value, and as the JSON that carries it from Celery to its task."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from ledger_tasks.messaging.message import OUR_HEADERS

SHORT: Final = 255
"""AMQP's limit of a short string: message_id and type are never longer."""

LAST_DELIVERY: Final = 18
"""x-delivery-count at which we settle a delivery ourselves, two before the broker would."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """What the broker handed over: the untouched body, and of the rest only what we wrote or the broker counts."""

    body: bytes
    message_id: str | None
    type: str | None
    content_type: str | None
    headers: Mapping[str, str | int]
    delivery_count: int
    redelivered: bool

    def to_call(self) -> dict[str, Any]:
        """Return the JSON arguments of a task call; the body as base64."""
        return {
            "body": base64.b64encode(self.body).decode("ascii"),
            "message_id": self.message_id,
            "type": self.type,
            "content_type": self.content_type,
            "headers": dict(self.headers),
            "delivery_count": self.delivery_count,
            "redelivered": self.redelivered,
        }

    @classmethod
    def from_call(cls, call: Mapping[str, Any]) -> Self:
        """Read the arguments that `to_call` made."""
        return cls(**{**call, "body": base64.b64decode(call["body"])})

    @classmethod
    def from_amqp(
        cls, body: bytes, properties: Mapping[str, Any], headers: Mapping[str, Any], *, redelivered: bool
    ) -> Self:
        """Take over what can be trusted to be plain: a hostile header is left behind, never an error."""
        return cls(
            body=body,
            message_id=_short(properties.get("message_id")),
            type=_short(properties.get("type")),
            content_type=_short(properties.get("content_type")),
            headers={name: headers[name] for name in OUR_HEADERS if _plain(headers.get(name))},
            delivery_count=_count(headers.get("x-delivery-count")),
            redelivered=redelivered,
        )

    def text(self, header: str) -> str | None:
        """Return one of our text headers."""
        value = self.headers.get(header)
        return value if isinstance(value, str) else None

    def number(self, header: str) -> int:
        """Return one of our counting headers, 0 when it is absent."""
        return _count(self.headers.get(header))


def _short(value: object) -> str | None:
    return value if isinstance(value, str) and value.isprintable() and len(value.encode()) <= SHORT else None


def _plain(value: object) -> bool:
    return _count(value) > 0 or _short(value) is not None


def _count(value: object) -> int:
    return value if type(value) is int and value >= 0 else 0
