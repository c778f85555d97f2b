"""`ledger receipts list`: filters come in, receipts in brief go out."""

from typing import Annotated, Any, Final, Literal

import typer

from ledger_tasks.cli.connection import database
from ledger_tasks.cli.output import Json, emit, say, table
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.receipt_list import ListedReceipt, list_receipts

SCREEN: Final = 50
"""Receipts in a table unless told: what a person scrolls through."""

DOCUMENT: Final = 100_000
"""Receipts in a JSON document unless told: a program wants all of them, and this bounds its memory."""

Status = Literal["new", "queued", "processing", "succeeded", "review_required", "failed"]


def list_(
    status: Annotated[Status | None, typer.Option(help="Only receipts that stand there.")] = None,
    search: Annotated[str | None, typer.Option(help="Part of a path, a merchant or the text.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many (50; with --json 100000).")] = None,
    as_json: Json = False,
) -> None:
    """List receipts with what was read of them, the newest first.

    Example: `ledger receipts list --status review_required`
    """
    most = limit or (DOCUMENT if as_json else SCREEN)
    with database() as engine, transaction(engine) as connection:
        found = list_receipts(connection, limit=most + 1, status=status, search=search)
    shown, more = found[:most], len(found) > most
    if as_json:
        emit({"receipts": [document(each) for each in shown]})
    else:
        table(("File", "Status", "Merchant", "Date", "Total", "Reason"), [_line(each) for each in shown])
    if more:
        say(f"These are the newest {most}; there are more: --limit, --status or --search.")


def document(receipt: ListedReceipt) -> dict[str, Any]:
    """Return a receipt as JSON shows it."""
    return vars(receipt) | {"date": receipt.date and receipt.date.isoformat()}


def _line(receipt: ListedReceipt) -> tuple[object, ...]:
    total = f"{receipt.total} {receipt.currency or ''}" if receipt.total else ""
    reason = receipt.error_code or ", ".join(receipt.reasons)
    return receipt.source_reference, receipt.status, receipt.merchant, receipt.date, total, reason
