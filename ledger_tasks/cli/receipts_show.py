"""`ledger receipts show`: one receipt comes in; what it says, how it was read and what was tried goes out."""

from collections.abc import Iterator
from typing import Any

from contracts.receipts.receipt import SINGLE_FIELDS
from ledger_tasks.cli.connection import database
from ledger_tasks.cli.lookup import Receipt, find
from ledger_tasks.cli.output import Json, emit, say, table
from ledger_tasks.cli.receipts_list import document
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.receipt_detail import ReceiptDetail, receipt_detail
from ledger_tasks.storage.receipt_list import ListedReceipt, listed_receipt


def show(receipt: Receipt, as_json: Json = False) -> None:
    """Show one receipt: its fields with their evidence, items, booking, passes and attempts.

    Example: `ledger receipts show 2026-08-14/receipts_20260814_0001.pdf`
    """
    with database() as engine, transaction(engine) as connection:
        source = find(connection, receipt)
        brief = listed_receipt(connection, source)
        detail = receipt_detail(connection, source)
    assert brief is not None
    if as_json:
        emit(_document(brief, detail))
    else:
        print_receipt(brief, detail)


def _document(brief: ListedReceipt, detail: ReceiptDetail) -> dict[str, Any]:
    evidence = dict(detail.evidence or {})
    read = {name: evidence.pop(name, []) for name in ("items", "tax_lines", "payments")}
    more = {name: value for name, value in vars(detail).items() if name != "evidence"}
    return document(brief) | read | more | {"fields": evidence.pop("fields", {}), "evidence": evidence or None}


def print_receipt(brief: ListedReceipt, detail: ReceiptDetail) -> None:
    """Print one receipt as tables for a person."""
    table(("Receipt", ""), list(_head(brief, detail)))
    if detail.evidence:
        fields = {name: detail.evidence["fields"][name] for name in SINGLE_FIELDS}
        table(
            ("Field", "Value", "As printed", "Sure", "From", "Page", "May also be"),
            [(name, *_evidence(field)) for name, field in fields.items() if field["status"] != "missing"],
        )
        _print_items(detail.evidence["items"])
    _print_work(detail)


def _head(brief: ListedReceipt, detail: ReceiptDetail) -> Iterator[tuple[str, object]]:
    yield "status", f"{brief.status}  {brief.error_code or ', '.join(brief.reasons)}".rstrip()
    yield "hash", brief.source_sha256
    yield from (("path", path) for path in detail.paths)
    if detail.evidence:
        yield "read", f"{detail.evidence['extraction_status']} (evidence {detail.evidence['id']})"
        yield from (("looks like", source) for source in detail.evidence["possible_duplicate_of"])
    if detail.expense:
        yield "booked", "{merchant}, {date}, {total:.2f} {currency} (expense {id})".format(**detail.expense)
    yield from ((f"{one['field']} corrected", one["value"]) for one in detail.corrections)


def _evidence(field: dict[str, Any]) -> tuple[object, ...]:
    told = f"{field['value']}" + (" (ambiguous)" if field["status"] == "ambiguous" else "")
    sure = f"{field['confidence']:.0%}"
    return told, field["raw"], sure, field["source"], field["page"], ", ".join(map(str, field["alternatives"]))


def _print_items(items: list[dict[str, Any]]) -> None:
    if items:
        parts = ("description", "quantity", "unit_price", "total", "code")
        rows = [(number, *(item[part] for part in parts)) for number, item in enumerate(items, start=1)]
        table(("#", *(part.replace("_", " ") for part in parts)), rows, "Items")


def _print_work(detail: ReceiptDetail) -> None:
    if detail.passes:
        parts = ("page_number", "engine", "variant", "status", "confidence", "line_count", "seconds", "selected")
        rows = [tuple(one[part] for part in parts) for one in detail.passes]
        table(tuple(part.replace("_", " ") for part in parts), rows, "Passes")
    if detail.attempts:
        attempts = [
            (one["collected_at"], one["event_type"], one["attempt"], one["outcome"], one["error_code"], one["error"])
            for one in detail.attempts
        ]
        table(("Collected", "Event", "Attempt", "Outcome", "Code", "Detail"), attempts, "Attempts")
    for letter in detail.dead_letters:
        if letter["state"] in {"open", "replaying"}:
            say(f"dead: {letter['code']}: {letter['detail']}\nnext: ledger dead show {letter['id']}")
