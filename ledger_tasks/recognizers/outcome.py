"""What a reader found: statements, or the reason why there are none; the two contracts write it down differently."""

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any, Literal

ErrorCode = Literal["UNSUPPORTED_FORMAT", "EMPTY_DOCUMENT", "READ_FAILED"]


@dataclass(frozen=True, slots=True)
class Row:
    """One row; amounts by part and side, e.g. `("opening", "debit")`."""

    account: str | None = None
    name: str | None = None
    amounts: dict[tuple[str, str], Decimal] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Statement:
    """One table, receipt or text."""

    kind: Literal["osv", "receipt", "text"]
    rows: list[Row]
    title: str | None = None
    currency: str | None = None
    first_day: date | None = None
    last_day: date | None = None


@dataclass(frozen=True, slots=True)
class Remark:
    """A warning of contract 2.0; contract 1.0 has its message only."""

    code: str
    message: str
    severity: Literal["info", "warning", "error"] = "warning"
    locator: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """Statements, and what a person should look at; with any remark the answer is `needs_check`."""

    statements: list[Statement]
    remarks: list[Remark] = field(default_factory=list)


class Unreadable(Exception):
    """There is nothing to recognize."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
