"""Pictures and PDF to receipts: the bytes of a file come in, the receipt that the OCR of receipts reads goes out."""

import logging
from decimal import Decimal, InvalidOperation
from typing import Final

from contracts.receipts.receipt import Receipt
from ledger_tasks.errors import Terminal, Transient
from ledger_tasks.ocr.reading import Reader, ReaderBug
from ledger_tasks.recognizers.outcome import ErrorCode, Found, Remark, Row, Statement, Unreadable

_MEANING: Final[dict[str, ErrorCode]] = {
    "UNSUPPORTED_TYPE": "UNSUPPORTED_FORMAT",
    "EMPTY_FILE": "EMPTY_DOCUMENT",
    "NO_PAGES": "EMPTY_DOCUMENT",
}
_PAID: Final = ("turnover", "credit")
"""What a receipt says was paid; of the columns of a row this one means money that went out."""

log = logging.getLogger(__name__)


def read_picture(reader: Reader, content: bytes, seconds: float) -> Found:
    """Read one document within a time. Raises Unreadable."""
    try:
        receipt = reader.read(content, timeout=seconds).receipt
    except Terminal as error:
        raise Unreadable(_MEANING.get(error.code, "READ_FAILED"), f"{error.code}: {error.detail}") from None
    except Transient as error:
        raise Unreadable("READ_FAILED", f"{error.code}: {error.detail}") from None
    except ReaderBug:
        log.exception("the reader failed in a way that nobody expected")
        raise Unreadable("READ_FAILED", "the reader failed") from None
    if not receipt.raw_text.strip():
        raise Unreadable("EMPTY_DOCUMENT", "no text was found")
    remarks = [Remark(reason, f"the receipt needs a look: {reason}") for reason in receipt.review_reasons]
    return Found([_statement(receipt)], remarks)


def _statement(receipt: Receipt) -> Statement:
    if receipt.extraction_status == "unreadable":
        lines = [line for line in receipt.raw_text.splitlines() if line.strip()]
        return Statement("text", [Row(name=line) for line in lines])
    rows = [Row(name=item.description, amounts=_paid(item.total)) for item in receipt.items if not item.void]
    rows.append(Row(name="total", amounts=_paid(receipt.total.value)))
    return Statement("receipt", rows, receipt.merchant.value, receipt.currency.value)


def _paid(amount: str | None) -> dict[tuple[str, str], Decimal]:
    try:
        return {_PAID: Decimal(amount)} if amount else {}
    except InvalidOperation:
        return {}
