"""Failure recovery: After collector commit but before result ACK.

Result redelivery is handled idempotently.
"""

import threading

from tests.support.amqp import wait_until
from tests.support.desk import COUNT
from tests.support.events import CAFE, completed, receipt

RUNS = "SELECT run_uuid, collected_at FROM budget.receipt_ocr_runs ORDER BY 1"


def test_a_collector_that_dies_after_its_commit_and_before_its_acknowledgement_repeats_nothing(
    desk, broker, database, results, run_role
):
    environment = broker.environment | database.environment_of("ledger_collector")
    role = run_role("collector", environment=environment)
    stop = threading.Event()

    def kill_at_the_first_commit():
        while desk.rows(COUNT) == [(0,)] and not stop.is_set():
            pass
        role.kill()

    watcher = threading.Thread(target=kill_at_the_first_commit)
    watcher.start()
    events = [completed(f"f{n}", f"r{n}", generation=1, said=receipt(**CAFE | {"total": f"{n}.00"})) for n in range(60)]
    results.send(*events)
    watcher.join(30)
    stop.set()
    before = desk.rows(RUNS)
    assert before, "it had committed"
    run_role("collector", environment=environment)
    wait_until(lambda: desk.rows(COUNT) == [(60,)] and results.ready("ocr.results.v1.work") == 0, "the rest")
    assert set(before) <= set(desk.rows(RUNS))
    assert desk.rows("SELECT count(*) FROM budget.expenses") == [(60,)]
