"""A path that no index can hold loses nothing: the receipt is found by its hash."""

import random
import string

from ledger_tasks.collector.outcome import Applied
from ledger_tasks.storage import schema
from tests.support.events import completed

LONG = "/".join("".join(random.Random(n).choices(string.ascii_letters, k=250)) for n in range(16))


def test_a_receipt_at_a_path_of_4000_letters_is_applied_and_rebuilt(desk):
    assert desk.collect(completed("a", "r1", generation=1, reference=LONG)) == [Applied()]
    assert desk.rows("SELECT source_reference FROM ingest.receipts") == [(LONG,)]
    assert desk.rows("SELECT count(*) FROM ingest.receipt_paths") == [(0,)]
    assert schema.rebuild_ingest(desk.owner) == schema.Rebuilt(1, 0, 1)
    assert desk.status("a") == ("succeeded", None, [])
