"""Whatever the order of events and however often each comes, the rows end the same."""

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.support.events import CAFE, completed, failed, passed, receipt

NEWER = receipt(items=[{"description": "Latte", "total": "3.00"}], **CAFE | {"total": "3.00"})
EVENTS = (
    passed("a", "r1", 1),
    passed("a", "r1", 2),
    completed("a", "r1", generation=1),
    completed("a", "r2", generation=2, mode="reprocess", request="q2", said=NEWER),
    completed("a", "r3", generation=2, said=NEWER),
    failed("a", "r4", attempts=3),
    failed("a", "r5", mode="reprocess", request="q2"),
    completed("a", "r6", generation=3, mode="cache_only", request="q6"),
    completed("b", "r7", generation=1, said=receipt(reasons=("DATE_AMBIGUOUS",), **CAFE | {"total": "8.00"})),
    failed("c", "r8"),
    passed("c", "r9"),
)

HISTORY = "SELECT message_id, payload_sha256 FROM budget.ocr_result_events ORDER BY 1"
"""What an event met when it came depends on the order; that it is kept does not."""


# Without shrinking: every try is a database's worth of work.
@settings(
    max_examples=12,
    deadline=None,
    phases=(Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.permutations([*range(len(EVENTS))] * 2), st.integers(1, 8))
def test_every_order_of_every_event_twice_gives_the_same_rows(desk, order, size):
    desk.clear()
    desk.collect(*EVENTS)
    expected, history = desk.content("budget.ocr_result_events"), desk.rows(HISTORY)
    desk.clear()
    for start in range(0, len(order), size):
        desk.collect(*(EVENTS[number] for number in order[start : start + size]))
    assert desk.content("budget.ocr_result_events") == expected
    assert desk.rows(HISTORY) == history
