"""What we answer, in contract 1.0 or 2.0: a request and what was found come in, bodies and a result file go out."""

from datetime import datetime
from decimal import Decimal
from typing import Any, Final, Literal, NamedTuple

from contracts.recognition.request import Request
from contracts.wire import canonical
from ledger_tasks.recognition.bus import Outgoing
from ledger_tasks.recognizers.outcome import Found, Remark, Row, Statement, Unreadable

Contract = Literal["1.0", "2.0"]

STATEMENTS_VERSION: Final = "1"
"""Changes when the same file would give other statements."""

PARTS: Final = ("opening", "turnover", "closing")


class Service(NamedTuple):
    """Who answers, and in which contract."""

    name: str
    version: str
    contract: Contract

    def described(self) -> dict[str, str]:
        """Return what the wire says of it."""
        known = {"name": self.name, "version": self.version}
        return known if self.contract == "1.0" else known | {"statements_version": STATEMENTS_VERSION}


def acknowledgement(service: Service, request: Request, at: datetime) -> Outgoing:
    """Say that we work on it."""
    return _outgoing(service, request, "ack", at, status="processing")


def success(service: Service, request: Request, found: Found, at: datetime) -> Outgoing:
    """Say that the result lies at `result_key`; with remarks a person must look."""
    return _outgoing(
        service,
        request,
        "result",
        at,
        status="needs_check" if found.remarks else "done",
        result_s3={"bucket": request.s3.bucket, "key": result_key(request)},
        result_schema_version=service.contract,
        metrics={"rows": sum(len(each.rows) for each in found.statements), "warnings": _warnings(service, found)},
    )


def failure(service: Service, request: Request, why: Unreadable, at: datetime) -> Outgoing:
    """Say why there is no result."""
    error = {"code": why.code, "message": why.message[:500]}
    return _outgoing(service, request, "result", at, status="error", error=error)


def result_key(request: Request) -> str:
    """Return where the result of a request lies."""
    return f"results/{request.file_id}/{request.job_id}/result.json"


def result_file(service: Service, found: Found) -> bytes:
    """Return the result file."""
    common = {"schema_version": service.contract, "service": service.described(), "warnings": _warnings(service, found)}
    if service.contract == "1.0":
        return canonical(common | {"documents": [_document(each) for each in found.statements]})
    return canonical(common | {"statements": [_document(each) | _frame(each) for each in found.statements]})


def _outgoing(service: Service, request: Request, kind: str, at: datetime, **said: Any) -> Outgoing:
    body = {
        "schema_version": service.contract,
        "job_id": request.job_id,
        "service": service.described(),
        "occurred_at": at.isoformat(),
    }
    message_id = f"{kind}:{request.job_id}:{request.attempt}"
    return Outgoing(request.reply_subject, canonical(body | said), message_id)


def _warnings(service: Service, found: Found) -> list[Any]:
    if service.contract == "1.0":
        return [f"{each.code}: {each.message}" for each in found.remarks]
    return [_warning(each) for each in found.remarks]


def _warning(remark: Remark) -> dict[str, Any]:
    return {
        "code": remark.code,
        "severity": remark.severity,
        "message": remark.message,
        "locator": remark.locator,
    }


def _document(statement: Statement) -> dict[str, Any]:
    return {"kind": statement.kind, "title": statement.title, "rows": [_row(row) for row in statement.rows]}


def _frame(statement: Statement) -> dict[str, Any]:
    days = {"from": statement.first_day, "to": statement.last_day}
    period = {name: day.isoformat() if day else None for name, day in days.items()}
    return {"currency": statement.currency, "period": period}


def _row(row: Row) -> dict[str, Any]:
    amounts = {part: {side: _text(row.amounts.get((part, side))) for side in ("debit", "credit")} for part in PARTS}
    return {"account": row.account, "name": row.name, **amounts}


def _text(amount: Decimal | None) -> str | None:
    return None if amount is None else f"{amount:f}"
