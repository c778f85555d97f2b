"""A date and a total with their evidence come in; how likely each is right goes out, as measured on real receipts."""

from typing import Final

from ledger_tasks.extraction.dating import Dated
from ledger_tasks.extraction.totals import TotalFound

ACCEPT: Final = 0.995
"""Probability of being right from which nobody needs to look."""

SURE_LINE: Final = 0.95
"""Confidence of a line from which its digits were right on every receipt measured."""

CLEAR_LEAD: Final = 3.0
"""Score by which the chosen total leads when no rival was ever right."""

_INDEPENDENT: Final = frozenset(
    {"label", "labels", "cash less change", "sum", "items", "payment", "repeated", "second reading"}
)


def total_confidence(found: TotalFound, *, second: bool | None) -> float:
    """Return the probability that the total is right; `second` is what a second reading said, None without one."""
    witnesses = len(found.confirmed_by & _INDEPENDENT) + (1 if second else 0)
    if second is False:
        return 0.7
    if found.lead < CLEAR_LEAD:
        return 0.5 if witnesses < 3 else 0.9
    if witnesses >= 3:
        return 0.998
    if witnesses == 2:
        return 0.996 if found.chosen.row.confidence >= SURE_LINE else 0.98
    return 0.9


def date_confidence(found: Dated, line_confidence: float, *, second: bool | None) -> float:
    """Return the probability that the day is right."""
    if found.day is None:
        return 0.0
    if second is False:
        return 0.7
    if found.is_other_day or (found.rivals and not ({"label", "repeated"} & found.confirmed_by)):
        return 0.6
    is_sure = line_confidence >= SURE_LINE and not found.found.repaired
    if second or is_sure or "repeated" in found.confirmed_by:
        return 0.997
    return 0.9
