"""Rows come in; the time, the receipt's number, phone, tax numbers and card digits that stand in them go out."""

import re
from collections.abc import Sequence
from typing import Final

from contracts.receipts.receipt import Extracted
from ledger_tasks.extraction.found import field
from ledger_tasks.extraction.lines import Row

_TIME: Final = re.compile(
    r"(?<![\d:.])(?P<hour>[01]?\d|2[0-3])[:.](?P<minute>[0-5]\d)(?:[:.](?P<second>[0-5]\d))?(?!\d)"
    r"\s*(?P<half>[AaPp]\.?[Mm])?"
)
_TIME_LABEL: Final = re.compile(r"(?i)time|zeit|uhr|heure|hora|время|masa")
_NUMBER: Final = re.compile(
    r"(?i)(?:invoice|inv|receipt|rcpt|bill|doc(?:ument)?|cash sales?|slip|check|chk|order|trans\w*|"
    r"beleg\w*|bon|rechnung\w*|ticket|facture|factura|recibo|чек)\b"
    r"[ .]*(?:no|number|nummer|num|nr|n[°ºo]|№|id)?[ .]*[:#№°º]*\s*#?(?P<value>[A-Z]{0,6}[-/ ]?\d[A-Z0-9/-]{2,})"
)
_PHONE: Final = re.compile(
    r"(?i)(?:tel\w*|phone|ph|h/?p|mobile|hotline|тел\w*|fon)\b[^\d+(]{0,12}(?P<value>\+?\(?\d[\d ()/.-]{5,18}\d)"
)
_TAX_ID: Final = re.compile(
    r"(?i)(?:gst|sst|vat|ust|uid|steuer|tva|n\.?i\.?f|c\.?i\.?f|инн|abn|siret)\b"
    r"[^\d:#]{0,20}[:#]?\s*(?P<value>(?:[A-Z]{1,3}-?)?\d[\d ./-]{6,16}\d)"
)
_CARD: Final = re.compile(r"(?<![*xX•#.])[*xX•#.]{2,}+(?:[ -][*xX•#.]{2,}+)*+[ -]?(?P<value>\d{4})(?!\d)")
"""Possessive, so that a line of a thousand crosses is looked at once."""


def time_of(rows: Sequence[Row], date_row: Row | None, source: str) -> Extracted[str]:
    """Return the time beside the date, else a labelled one."""
    near = [date_row] if date_row else []
    for row in [*near, *(row for row in rows if _TIME_LABEL.search(row.text))]:
        for match in _TIME.finditer(row.text):
            value = _clock(match)
            if ":" in match[0] and value:
                return field(value, match[0].strip(), row, source, row.confidence)
    return Extracted(value=None)


def receipt_number(rows: Sequence[Row], source: str) -> Extracted[str]:
    """Return the first labelled number of the receipt."""
    return _first(_NUMBER, rows, source)


def phone(rows: Sequence[Row], source: str) -> Extracted[str]:
    """Return the first labelled phone number."""
    return _first(_PHONE, rows, source)


def tax_ids(rows: Sequence[Row], source: str) -> Extracted[str]:
    """Return the tax numbers, separated by commas."""
    found = [(match["value"].strip(), row) for row in rows for match in _TAX_ID.finditer(row.text)]
    if not found:
        return Extracted(value=None)
    values = ", ".join(dict.fromkeys(value for value, _ in found))
    return field(values, values, found[0][1], source, found[0][1].confidence)


def card_last4(rows: Sequence[Row], source: str) -> Extracted[str]:
    """Return the last four digits of a masked card number."""
    return _first(_CARD, rows, source)


def _first(pattern: re.Pattern[str], rows: Sequence[Row], source: str) -> Extracted[str]:
    for row in rows:
        match = pattern.search(row.text)
        if match:
            return field(match["value"].strip(), match[0].strip(), row, source, row.confidence)
    return Extracted(value=None)


def _clock(match: re.Match[str]) -> str | None:
    hour = int(match["hour"])
    half = (match["half"] or "").lower().replace(".", "")
    if half and not 1 <= hour <= 12 and not (half == "pm" and hour < 24):
        return None
    if half == "pm" and hour < 12:
        hour += 12
    if half == "am" and hour == 12:
        hour = 0
    return f"{hour:02}:{match['minute']}" + (f":{match['second']}" if match["second"] else "")
