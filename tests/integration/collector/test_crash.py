"""Whatever statement a collector dies at, the next delivery ends in the same rows as a clean run."""

import pytest
from sqlalchemy import event

from tests.support.events import CAFE, completed, failed, passed, receipt

EVENTS = (
    passed("a", "r1"),
    completed("a", "r1", generation=1, said=receipt(items=[{"description": "Latte", "total": "3.00"}], **CAFE)),
    failed("b", "r2"),
    completed("c", "r3", generation=1, mode="cache_only", request="q"),
)


class Died(Exception):
    """Stands for the end of the process: nothing after it is executed, the connection is gone."""


def dies_at(engine, number):
    left = [number]

    def count(*_):
        left[0] -= 1
        if left[0] == 0:
            raise Died

    event.listen(engine, "before_cursor_execute", count)
    return count


@pytest.mark.case("C036")
def test_a_death_at_any_statement_leaves_nothing_and_the_repetition_everything(desk):
    empty = desk.content()
    desk.collect(*EVENTS)
    clean = desk.content()
    deaths = 0
    while True:
        desk.clear()
        listener = dies_at(desk.engine, deaths + 1)
        try:
            desk.collect(*EVENTS)
            break
        except Died:
            deaths += 1
        finally:
            event.remove(desk.engine, "before_cursor_execute", listener)
        assert desk.content() == empty, f"partial rows after statement {deaths}"
        desk.collect(*EVENTS)
        assert desk.content() == clean, f"other rows after a death at statement {deaths}"
    assert deaths > 15, "every statement of the transaction was tried"
