"""`make chaos SECONDS=300 SEED=7 SABOTAGE=drop`: 300 receipts under random faults, then the audit and what fired.

`FAULTS=duplicate,kill_child` narrows the kinds, `RECEIPTS=60` the number.
"""

import os
import sys
import time
from collections import Counter

from tests.chaos.audit import Ledger
from tests.chaos.faults import KINDS
from tests.chaos.run import Plan, run
from tests.chaos.world import world


def main() -> int:
    plan = Plan(
        receipts=int(os.environ.get("RECEIPTS") or 300),
        seconds=float(os.environ.get("SECONDS") or 120),
        seed=int(os.environ.get("SEED") or time.time_ns() % 100_000),
        kinds=[kind for kind in os.environ.get("FAULTS", "").split(",") if kind] or sorted(KINDS),
        sabotage=os.environ.get("SABOTAGE", ""),
    )
    with world() as made:
        return report(*run(made, plan), plan)


def report(found: Ledger, fired: Counter[str], plan: Plan) -> int:
    """Print the ledger and the faults; a kind that never fired fails the run, since it proved nothing."""
    silent = [kind for kind in plan.kinds if not fired[kind]]
    print(f"seed {plan.seed}{f', sabotage {plan.sabotage}' if plan.sabotage else ''}")
    print(f"faults: {', '.join(f'{kind} {fired[kind]}' for kind in plan.kinds)}")
    print(
        f"{plan.receipts} receipts = {found.succeeded} succeeded + {found.review} review + {found.failed} failed"
        f" + {found.dead} dead; {found.answered} refreshes answered;"
        f" lost {found.lost}, twice {found.twice}, stuck {found.stuck}, wrong totals {found.wrong_totals}"
    )
    if silent:
        print(f"never fired: {', '.join(silent)}")
    return 0 if found.clean and not silent else 1


if __name__ == "__main__":
    sys.exit(main())
