"""The audit: database and broker come in; what was lost, done twice or left stuck goes out, by receipt."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from sqlalchemy import Engine, text

FINAL = ("succeeded", "review_required", "failed")


@dataclass(frozen=True)
class Ledger:
    """Every receipt is in exactly one of the first four; the last three must be zero."""

    succeeded: int
    review: int
    failed: int
    dead: int
    answered: int
    lost: int
    twice: int
    stuck: int
    wrong_totals: int

    @property
    def clean(self) -> bool:
        return not (self.lost or self.twice or self.stuck or self.wrong_totals)


def audit(engine: Engine, totals: dict[str, Decimal], requests: Sequence[str]) -> Ledger:
    """Compare what the database holds with the receipts (hash -> total) and refresh requests that were put in."""
    with engine.connect() as connection:
        status = dict(
            connection.execute(text("SELECT source_sha256, status FROM ingest.receipt_processing_status")).all()
        )
        letters = set(
            connection.execute(
                text("SELECT source_sha256 FROM budget.dead_letters WHERE state = 'open' AND source_sha256 IS NOT NULL")
            ).scalars()
        )
        leased = set(
            connection.execute(text("SELECT source_sha256 FROM ingest.publications WHERE state <> 'ended'")).scalars()
        )
        answered = set(
            connection.execute(
                text("SELECT request_id::text FROM budget.receipt_reprocess_requests WHERE completed_at IS NOT NULL")
            ).scalars()
        )
        booked = connection.execute(text("SELECT source_sha256, total FROM budget.expenses")).all()
    places = {sha256: status.get(sha256) for sha256 in totals}
    final = {sha256: place for sha256, place in places.items() if place in FINAL}
    dead = {sha256 for sha256 in totals if sha256 not in final and sha256 in letters}
    open_ones = {sha256 for sha256 in totals if sha256 not in final and sha256 not in dead}
    stuck = {sha256 for sha256 in open_ones if places[sha256] is not None}
    return Ledger(
        succeeded=sum(1 for place in final.values() if place == "succeeded"),
        review=sum(1 for place in final.values() if place == "review_required"),
        failed=sum(1 for place in final.values() if place == "failed"),
        dead=len(dead),
        answered=len(answered & set(requests)),
        lost=len(open_ones - stuck) + len(set(requests) - answered),
        twice=len(booked) - len({sha256 for sha256, _ in booked if sha256 in totals}),
        stuck=len(stuck | (leased & final.keys())),
        wrong_totals=sum(1 for sha256, total in booked if sha256 in totals and total != totals[sha256]),
    )
