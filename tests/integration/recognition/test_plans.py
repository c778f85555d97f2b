"""With one million finished rows every poll touches the active rows alone, however the server plans it."""

import pytest
from sqlalchemy import event

from ledger_tasks.recognition.inbox import settle
from ledger_tasks.recognition.journal import Entry
from ledger_tasks.storage import recognition_files as files
from ledger_tasks.storage.database import transaction
from ledger_tasks.storage.recognition_inboxes import load_backlog
from tests.support.recognition import Owner, envelope

FINISHED = 1_000_000
ACTIVE = 30
BUFFERS = 4 * ACTIVE * 10
"""Pages of 8 KB: for each active row its index, job, file and object. A scan of the million would read 20,000."""


@pytest.fixture(scope="module")
def million(shared_database):
    """Finished jobs, made once for these tests: triggers and checks of references are switched off meanwhile."""
    owner = Owner(shared_database.url)
    owner.empty()
    owner.add_finished(FINISHED)
    yield owner
    owner.empty()


@pytest.fixture
def owner(million):
    """Keep the million: `core` would begin with empty tables."""
    return million


def explained(core, work):
    """Run some work and return what each of its statements on jobs costs in pages, as planned for any parameters."""
    statements = []

    def note(_connection, _cursor, statement, parameters, _context, _many):
        if "recognition_job" in statement and not statement.lstrip().startswith("INSERT"):
            statements.append((statement, parameters))

    engine = core.exchange.engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        work()
    finally:
        event.remove(engine, "before_cursor_execute", note)
    costs = {}
    for statement, parameters in statements:
        with engine.connect() as connection:
            connection.exec_driver_sql("SET plan_cache_mode = force_generic_plan")
            plan = connection.exec_driver_sql(
                f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}", parameters
            ).scalar()
            costs[statement] = plan[0]["Plan"]["Shared Hit Blocks"] + plan[0]["Plan"]["Shared Read Blocks"]
            connection.rollback()
    assert costs
    return costs


@pytest.mark.trap(31)
def test_every_poll_touches_active_rows_alone(core):
    queued = [core.add_job() for _ in range(ACTIVE)]
    costs = explained(core, core.publish)
    for job_id in queued:
        core.age(job_id, "published_at", 31)
    costs |= explained(core, core.publish)
    core.sql("UPDATE recognition.recognition_job SET metrics = '{\"republish_count\": 3}' WHERE status = 'published'")
    core.sql("UPDATE recognition.recognition_job SET published_at = now() - interval '31 s' WHERE status = 'published'")
    costs |= explained(core, core.publish)
    overdue = [core.add_job() for _ in range(ACTIVE)]
    core.publish()
    for job_id in overdue:
        core.age(job_id, "reply_deadline", 1000)
    costs |= explained(core, core.watch)
    done = [core.add_job() for _ in range(ACTIVE)]
    entries = [Entry(n, f"r{n}", envelope(job_id, "done")) for n, job_id in enumerate(done)]
    costs |= explained(core, lambda: settle(core.exchange.engine, entries))
    costs |= explained(core, core.map)
    expensive = {statement: pages for statement, pages in costs.items() if pages > BUFFERS}
    assert not expensive
    assert len(costs) > 10


def test_the_lists_and_the_backlog_stay_flat(core):
    def look():
        with transaction(core.exchange.engine) as connection:
            files.load_jobs(connection, 50)
            files.load_files(connection, 50)
            files.count_active(connection)
            load_backlog(connection, "publish")

    assert max(explained(core, look).values()) <= BUFFERS
