"""The words that both MAJORs share: a tolerant base, ids, object addresses, moments, amounts and table rows."""

import math
import re
from datetime import date, datetime
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import AfterValidator, AwareDatetime, BeforeValidator, ConfigDict, Field, WithJsonSchema

from contracts.wire import Wire

T = TypeVar("T")
UUID_PATTERN: Final = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
MOMENT_PATTERN: Final = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2})$"
)


class Open(Wire):
    """Base of what others send: an unknown optional field is accepted and forgotten."""

    model_config = ConfigDict(extra="ignore")


def _moment_text(value: object) -> object:
    """Refuse what pydantic would also read: numbers, a space instead of T, a time without its zone."""
    if isinstance(value, datetime) or (isinstance(value, str) and re.fullmatch(MOMENT_PATTERN, value)):
        return value
    raise ValueError("not an RFC 3339 moment with its zone")


def _calendar_day(text: str) -> str:
    date.fromisoformat(text)
    return text


def _whole(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _finite(value: T) -> T:
    """Refuse a number too large for JSON: `1e999` is read as infinity, which no database column takes."""
    level: list[Any] = [value]
    while level:
        each = level.pop()
        if isinstance(each, float) and not math.isfinite(each):
            raise ValueError("a number is out of range")
        level.extend(each.values() if isinstance(each, dict) else each if isinstance(each, list) else ())
    return value


Identifier = Annotated[str, Field(pattern=UUID_PATTERN)]
Moment = Annotated[
    AwareDatetime,
    Field(strict=False),
    BeforeValidator(_moment_text),
    WithJsonSchema({"type": "string", "format": "date-time", "pattern": MOMENT_PATTERN}),
]
Day = Annotated[
    str,
    Field(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$", json_schema_extra={"format": "date"}),
    AfterValidator(_calendar_day),
]
Count = Annotated[int, Field(ge=0), BeforeValidator(_whole)]
"""A whole number; JSON has one kind of number, so 1.0 is the integer 1."""

Ordinal = Annotated[int, Field(ge=1), BeforeValidator(_whole)]
"""A whole number from 1."""
Finite = Annotated[Any, AfterValidator(_finite)]
"""Any JSON without infinite numbers."""


class Kept(Wire):
    """Base of what is stored as it came: unknown fields stay in place."""

    __pydantic_extra__: dict[str, Finite]

    model_config = ConfigDict(extra="allow")


Word = Annotated[str, Field(min_length=1, max_length=200)]
Amount = Annotated[str, Field(pattern=r"^-?[0-9]{1,18}(\.[0-9]{1,6})?$")]
"""Decimal string such as "-1007.50"."""

Pipeline = Literal["tabular", "image"]
AnswerStatus = Literal["processing", "done", "needs_check", "error"]
Kind = Literal["osv", "receipt", "text"]
"""Trial balance, receipt, plain text."""


class ObjectAddress(Open):
    """Where an object lies. The bucket's first character is alphanumeric, so no bucket is a step up a folder."""

    bucket: Annotated[str, Field(pattern="^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$")]
    key: Annotated[str, Field(min_length=1, max_length=1024)]


class Failure(Open):
    """Why a service could not answer."""

    code: Word
    message: str = ""


class Warning(Kept):  # noqa: A001 (the contract's own word)
    """What a service remarked; it is stored as it came."""

    code: Word
    severity: Word
    message: str
    locator: Finite = None


def legacy_warning(message: str) -> dict[str, Any]:
    """Wrap one 1.x warning into the shape of 2.0."""
    return {"code": "LEGACY_WARNING", "severity": "info", "message": message, "locator": None}


class Sides(Open):
    """Debit and credit of one column; null where the table has no number."""

    debit: Amount | None = None
    credit: Amount | None = None


class Row(Open):
    """One row of a document: of a trial balance all of it, of a receipt or text what there is."""

    account: str | None = None
    name: str | None = None
    opening: Sides = Sides()
    turnover: Sides = Sides()
    closing: Sides = Sides()
