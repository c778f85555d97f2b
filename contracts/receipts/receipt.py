"""What a receipt says: single fields with their evidence, line items, tax lines and payments."""

from typing import Annotated, Final, Generic, Literal, TypeVar

from pydantic import Field

from contracts.wire import Wire

RAW_TEXT_LIMIT: Final = 256 * 1024
"""Bytes (UTF-8) of the recognized text that travel in an event; all of it stays in the artifact."""

Money = Annotated[str, Field(pattern=r"^-?[0-9]{1,12}(\.[0-9]{1,4})?$")]
"""Decimal string such as "1007.50"; the currency stands beside it."""

Number = Annotated[str, Field(pattern=r"^-?[0-9]{1,12}(\.[0-9]{1,6})?$")]
IsoDate = Annotated[str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
IsoTime = Annotated[str, Field(pattern=r"^[0-9]{2}:[0-9]{2}(:[0-9]{2})?$")]
Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$")]
Country = Annotated[str, Field(pattern=r"^[A-Z]{2}$")]
LastFour = Annotated[str, Field(pattern=r"^[0-9]{4}$")]
Text = Annotated[str, Field(max_length=1000)]
ReceiptType = Literal["purchase", "refund"]
Confidence = Annotated[float, Field(ge=0, le=1)]
Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels of the page as it was read."""

FieldStatus = Literal["ok", "ambiguous", "missing", "corrected"]
ExtractionStatus = Literal["complete", "review", "unreadable"]
T = TypeVar("T")


class Extracted(Wire, Generic[T]):
    """One single field: its value, how it was printed, where, how sure, and what else it might have been."""

    value: T | None = None
    raw: Text | None = None
    confidence: Confidence = 0.0
    source: Text | None = None
    page: Annotated[int, Field(ge=1)] | None = None
    box: Box | None = None
    alternatives: tuple[T, ...] = ()
    status: FieldStatus = "missing"


class Item(Wire):
    """One line of goods; a voided line stays, marked."""

    description: Text
    quantity: Number | None = None
    unit_price: Money | None = None
    total: Money | None = None
    code: Text | None = None
    void: bool = False


class TaxLine(Wire):
    """One tax rate: per cent, the amount it was taken of, and the tax."""

    rate: Number | None = None
    base: Money | None = None
    amount: Money | None = None


class Payment(Wire):
    """One means of payment."""

    method: Text
    amount: Money | None = None
    last4: LastFour | None = None


class Receipt(Wire):
    """Everything read from one receipt; `review_reasons` are codes, empty exactly when status is `complete`."""

    merchant: Extracted[Text] = Extracted()
    address: Extracted[Text] = Extracted()
    phone: Extracted[Text] = Extracted()
    tax_ids: Extracted[Text] = Extracted()
    transaction_date: Extracted[IsoDate] = Extracted()
    transaction_time: Extracted[IsoTime] = Extracted()
    currency: Extracted[Currency] = Extracted()
    country: Extracted[Country] = Extracted()
    receipt_type: Extracted[ReceiptType] = Extracted()
    receipt_number: Extracted[Text] = Extracted()
    subtotal: Extracted[Money] = Extracted()
    tax_total: Extracted[Money] = Extracted()
    tip: Extracted[Money] = Extracted()
    service_charge: Extracted[Money] = Extracted()
    discount: Extracted[Money] = Extracted()
    rounding: Extracted[Money] = Extracted()
    total: Extracted[Money] = Extracted()
    cash: Extracted[Money] = Extracted()
    change: Extracted[Money] = Extracted()
    payment_method: Extracted[Text] = Extracted()
    card_last4: Extracted[LastFour] = Extracted()
    items: tuple[Item, ...] = ()
    tax_lines: tuple[TaxLine, ...] = ()
    payments: tuple[Payment, ...] = ()
    raw_text: str = ""
    extraction_confidence: Confidence = 0.0
    extraction_status: ExtractionStatus = "unreadable"
    review_reasons: tuple[Text, ...] = ()


SINGLE_FIELDS: Final = tuple(
    name
    for name in Receipt.model_fields
    if name
    not in {
        "items",
        "tax_lines",
        "payments",
        "raw_text",
        "extraction_confidence",
        "extraction_status",
        "review_reasons",
    }
)
"""Names of the fields that are `Extracted`, in order; also the columns of `budget.receipt_evidence`."""
