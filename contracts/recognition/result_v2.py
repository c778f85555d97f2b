"""The result file of MAJOR 2: statements with currency and period, warnings as structures."""

from typing import Annotated

from pydantic import Field

from contracts.recognition.envelope_v2 import Service
from contracts.recognition.words import (
    Day,
    Kind,
    Open,
    Row,
    Warning,  # noqa: A004 (the contract's own word)
)


class Period(Open):
    """First and last day; null where the table does not say."""

    from_: Annotated[Day | None, Field(alias="from")]
    to: Day | None


class Statement(Open):
    """One recognized statement; currency is an ISO code, null where the table does not say."""

    kind: Kind
    title: str | None = None
    currency: Annotated[str, Field(pattern="^[A-Z]{3}$")] | None
    period: Period
    rows: tuple[Row, ...]


class ResultV2(Open):
    """Any 2.x."""

    schema_version: Annotated[str, Field(pattern=r"^2(\.|$)")]
    service: Service
    statements: tuple[Statement, ...]
    warnings: tuple[Warning, ...] = ()
