"""The audit is not blind: a planted fault of each kind is seen, and without one nothing is lost, doubled or stuck."""

from pathlib import Path

import pytest

from ledger_tasks.devstack.stack import Stack
from tests.chaos.__main__ import report
from tests.chaos.audit import Ledger
from tests.chaos.run import Plan, run
from tests.chaos.world import World
from tests.support.servers import start

KINDS = ("cut_network", "duplicate", "kill_child")


def after(stack: Stack, folder: Path, sabotage: str) -> tuple[Ledger, int]:
    start(stack, "rabbitmq", "postgresql")
    plan = Plan(receipts=25, seconds=1, seed=7, kinds=KINDS, sabotage=sabotage)
    world = World(stack, folder)
    try:
        ledger, fired = run(world, plan)
    finally:
        world.end()
    return ledger, report(ledger, fired, plan)


@pytest.mark.case("C053")
def test_without_sabotage_nothing_is_lost_done_twice_or_stuck(stack: Stack, tmp_path: Path) -> None:
    ledger, code = after(stack, tmp_path, "")
    assert (ledger.lost, ledger.twice, ledger.stuck, ledger.wrong_totals, code) == (0, 0, 0, 0, 0)
    assert ledger.succeeded + ledger.review + ledger.failed + ledger.dead == 25


@pytest.mark.parametrize(("sabotage", "column"), [("drop", "lost"), ("double", "twice"), ("stick", "stuck")])
def test_a_planted_fault_is_seen(stack: Stack, tmp_path: Path, sabotage: str, column: str) -> None:
    ledger, code = after(stack, tmp_path, sabotage)
    assert (getattr(ledger, column), code) == (1, 1)
