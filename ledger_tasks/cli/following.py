"""Wait for the outcome of refresh requests in the database, and turn it into the end of a command."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, Literal

from sqlalchemy import Engine

from ledger_tasks.cli.output import say
from ledger_tasks.errors import FailedForGoodError, NeedsReviewError, WaitTimeoutError
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.requests import outcomes

LOOK_SECONDS: Final = 0.5
PAGE: Final = 1000
"""Requests per question to the database."""


def follow(
    engine: Engine,
    mode: Literal["reprocess", "cache_only"],
    requests: Sequence[tuple[str, str]],
    *,
    timeout: float,
    on_progress: Callable[[int], None],
) -> Counter[str]:
    """Wait until every (source hash, request id) has an outcome; return how many ended how.

    Raises WaitTimeoutError after `timeout` seconds, and Infrastructure when the database is away.
    """
    deadline = time.monotonic() + timeout
    open_requests = list(requests)
    ended: Counter[str] = Counter()
    while True:
        still: list[tuple[str, str]] = []
        for start in range(0, len(open_requests), PAGE):
            page = open_requests[start : start + PAGE]
            with transaction(engine) as connection:
                found = outcomes(connection, [(mode, *request) for request in page])
            ended.update(found.values())
            still += [request for request in page if (mode, *request) not in found]
        open_requests = still
        on_progress(ended.total())
        if not open_requests:
            return ended
        if time.monotonic() >= deadline:
            raise WaitTimeoutError(
                f"{len(open_requests)} of {len(requests)} requests have no outcome after {timeout:g} s",
                remedy="They stay queued; wait longer, or look where they are.",
                next_command="ledger status",
            )
        time.sleep(LOOK_SECONDS)


def conclude(ended: Counter[str]) -> None:
    """Say how the requests ended. Raises FailedForGoodError or NeedsReviewError when one did."""
    say(", ".join(f"{count} {outcome}" for outcome, count in sorted(ended.items())) or "nothing to wait for")
    if ended["failed"]:
        raise FailedForGoodError(f"{ended['failed']} failed for good", next_command="ledger dead list")
    if ended["review_required"]:
        raise NeedsReviewError(f"{ended['review_required']} need a person", next_command="ledger receipts review")
