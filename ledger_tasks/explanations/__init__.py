"""What each code means, what to do about it, and the next command: for `ledger help CODE`, dead letters and pages."""

from typing import Final

from ledger_tasks.explanations.exchange import EXCHANGE
from ledger_tasks.explanations.explanation import Explanation
from ledger_tasks.explanations.receipts import RECEIPTS
from ledger_tasks.verification.finding import KINDS

__all__ = ["EXPLANATIONS", "Explanation", "explain"]

_VERIFY: Final = {
    code: Explanation(f"{kind.detail[0].upper()}{kind.detail[1:]}.", kind.remedy, kind.next)
    for code, kind in KINDS.items()
}

EXPLANATIONS: Final[dict[str, Explanation]] = RECEIPTS | EXCHANGE | _VERIFY


def explain(code: str) -> Explanation:
    """Return what is known of a code; of an unknown one, where to look."""
    return EXPLANATIONS.get(
        code, Explanation("This version has no text for the code.", "Read the log of the worker.", "ledger status")
    )
