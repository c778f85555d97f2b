"""A date and a total with their evidence come in; how likely each is right goes out, as it was counted.

Each grade of evidence carries how often a field of that grade was right where the truth was known: real receipts of
the half on which rules may be tuned, and slips of six kinds, clean and worn (`make eval` draws the same comparison).
Grades among which counting found no difference are one.
"""

from typing import Final, NamedTuple

from ledger_tasks.extraction.dating import Dated
from ledger_tasks.extraction.totals import TotalFound

ACCEPT: Final = 0.995
"""Probability of being right from which nobody needs to look."""

SURE_LINE: Final = 0.95
"""Confidence of a line from which its digits were right on every receipt measured."""

CLEAR_LEAD: Final = 3.0
"""Score by which the chosen total leads when no rival was ever right."""


class Counted(NamedTuple):
    """How many fields of a grade were right, and how many there were."""

    right: int
    seen: int

    @property
    def probability(self) -> float:
        """Return Laplace's estimate: what few examples say is not believed to the full."""
        return (self.right + 1) / (self.seen + 2)


TOTAL_CONFIRMED: Final = Counted(754, 754)
"""A clear lead and two independent witnesses, or three."""

TOTAL_ALONE: Final = Counted(16, 17)
"""A clear lead and one witness, or two on a line that was hard to read."""

TOTAL_CONTESTED: Final = Counted(41, 43)
TOTAL_CONTRADICTED: Final = Counted(9, 10)
"""A second engine read other amounts in its place."""

DATE_CONFIRMED: Final = Counted(815, 815)
"""Read surely, or twice, and no rival without a label."""

DATE_UNSURE: Final = Counted(2, 2)
DATE_CONTESTED: Final = Counted(8, 8)
DATE_CONTRADICTED: Final = Counted(0, 0)

_INDEPENDENT: Final = frozenset(
    {"label", "labels", "cash less change", "sum", "items", "payment", "repeated", "second reading"}
)


def total_confidence(found: TotalFound, *, second: bool | None) -> float:
    """Return the probability that the total is right; `second` is what a second reading said, None without one."""
    return _total(found, second=second).probability


def date_confidence(found: Dated, line_confidence: float, *, second: bool | None) -> float:
    """Return the probability that the day is right."""
    return 0.0 if found.day is None else _date(found, line_confidence, second=second).probability


def _total(found: TotalFound, *, second: bool | None) -> Counted:
    witnesses = len(found.confirmed_by & _INDEPENDENT) + (1 if second else 0)
    if second is False:
        return TOTAL_CONTRADICTED
    if found.lead < CLEAR_LEAD:
        return TOTAL_CONTESTED
    if witnesses >= 3 or (witnesses == 2 and found.chosen.row.confidence >= SURE_LINE):
        return TOTAL_CONFIRMED
    return TOTAL_ALONE


def _date(found: Dated, line_confidence: float, *, second: bool | None) -> Counted:
    if second is False:
        return DATE_CONTRADICTED
    if found.is_other_day or (found.rivals and not ({"label", "repeated"} & found.confirmed_by)):
        return DATE_CONTESTED
    is_sure = line_confidence >= SURE_LINE and not found.found.repaired
    return DATE_CONFIRMED if second or is_sure or "repeated" in found.confirmed_by else DATE_UNSURE
