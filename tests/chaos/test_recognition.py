"""A short run of the exchange under chaos holds every invariant, and a run of sabotaged processes does not."""

import pytest

from tests.chaos.recognition import run


@pytest.mark.timeout(150)
def test_every_invariant_holds_under_chaos(tmp_path):
    assert run(seconds=10, seed=7, sabotage="", folder=tmp_path) == []


@pytest.mark.timeout(150)
@pytest.mark.parametrize(
    ("sabotage", "broken"),
    [
        ("final", "final is final"),
        pytest.param("retry", "a retry follows a failure", marks=pytest.mark.matrix),
        pytest.param("lose", "most of what was answered in time counts", marks=pytest.mark.matrix),
    ],
)
def test_sabotage_is_found(sabotage, broken, tmp_path):
    assert broken in run(seconds=15, seed=7, sabotage=sabotage, folder=tmp_path)
