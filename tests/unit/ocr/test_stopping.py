"""A start that the main process could not know at SIGTERM marks itself."""

from types import SimpleNamespace

import pytest

from ledger_tasks.files.attempts import stopping_starts
from ledger_tasks.messaging.settle import stopping
from ledger_tasks.ocr import tasks

SHA = "a" * 64


@pytest.fixture
def told(tmp_path):
    yield lambda: tasks._tell_start(SimpleNamespace(home_budget_ocr_cache=tmp_path), SHA, "start-1")
    stopping.clear()
    tasks.open_starts.tell(SHA, None)


def test_a_start_told_after_sigterm_is_marked(told, tmp_path) -> None:
    stopping.set()
    told()
    assert stopping_starts(tmp_path, SHA) == {"start-1"}


def test_a_start_of_a_worker_that_goes_on_is_not(told, tmp_path) -> None:
    told()
    assert stopping_starts(tmp_path, SHA) == frozenset()
